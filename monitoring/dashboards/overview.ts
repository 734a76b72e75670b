import { INSTALLATION, type Dashboard } from '../dashboard.js';
import { fallingThresholds, risingThresholds, stat, table, timeSeries, type Panel } from '../panels.js';
import { quantile, ratio } from '../queries.js';

/** Those of docs/operations/slo.md, and the share of what may be bad. */
const OBJECTIVES = [
  { slo: 'api_availability', budget: 0.001, title: 'API availability' },
  { slo: 'api_latency', budget: 0.01, title: 'API latency' },
  { slo: 'change_lag', budget: 0.01, title: 'Change lag' },
  { slo: 'delivery_attempts', budget: 0.001, title: 'Delivery attempts' },
  { slo: 'credential_checks', budget: 0.005, title: 'Credential checks' },
  { slo: 'delivery_freshness', budget: 0.001, title: 'Delivery freshness' },
  { slo: 'sync_freshness', budget: 0.001, title: 'Sync freshness' },
];

const chosen = (slo: string) => `${INSTALLATION},slo="${slo}"`;

function remainingBudget({ slo, budget, title }: (typeof OBJECTIVES)[number]): Panel {
  return stat({
    title,
    description: `Remaining 30-day error budget of \`${slo}\`. Below 0 the objective of docs/operations/slo.md is missed.`,
    unit: 'percentunit',
    width: 3,
    thresholds: fallingThresholds(0, 0.25),
    queries: [{ expr: `1 - calendar:slo_errors:ratio_rate30d{${chosen(slo)}} / ${budget}`, legend: 'left' }],
  });
}

export const overview: Dashboard = {
  name: 'overview',
  title: 'Overview',
  description: 'Objectives of docs/operations/slo.md, and the load of the installation.',
  sections: [
    { title: 'Error budgets', panels: OBJECTIVES.map(remainingBudget) },
    {
      title: 'Burn rate',
      panels: [
        timeSeries({
          title: 'Burn rate, 1 h',
          description: '1: the budget lasts exactly 30 days. The critical alert fires at 14.4 over 1 h and over 5 min.',
          unit: 'short',
          width: 12,
          thresholds: risingThresholds(1, 14.4),
          queries: OBJECTIVES.map(({ slo, budget }) => ({
            expr: `calendar:slo_errors:ratio_rate1h{${chosen(slo)}} / ${budget}`,
            legend: slo,
          })),
        }),
        timeSeries({
          title: 'Burn rate, 3 d',
          description: 'Above 1 the budget does not last 30 days.',
          unit: 'short',
          width: 12,
          thresholds: risingThresholds(1, 3),
          queries: OBJECTIVES.map(({ slo, budget }) => ({
            expr: `calendar:slo_errors:ratio_rate3d{${chosen(slo)}} / ${budget}`,
            legend: slo,
          })),
        }),
      ],
    },
    {
      title: 'Load',
      panels: [
        stat({
          title: 'Alerts',
          description: 'Alerts that fire now. docs/runbooks has a page for each.',
          unit: 'none',
          width: 4,
          thresholds: risingThresholds(1, 2),
          queries: [
            { expr: 'count(ALERTS{alertname=~"Calendar.+",alertstate="firing"}) or vector(0)', legend: 'firing' },
          ],
        }),
        stat({
          title: 'Requests',
          description: 'Requests of applications per second.',
          unit: 'reqps',
          width: 4,
          queries: [
            {
              expr: `sum(rate(http_server_request_duration_seconds_count{${INSTALLATION},http_route=~"/api/v1/.+"}[$__rate_interval]))`,
              legend: 'requests',
            },
          ],
        }),
        stat({
          title: 'Messages delivered',
          description: 'Messages delivered per second.',
          unit: 'ops',
          width: 4,
          queries: [
            {
              expr: `sum(rate(calendar_delivery_attempt_duration_seconds_count{${INSTALLATION},outcome="delivered"}[$__rate_interval]))`,
              legend: 'delivered',
            },
          ],
        }),
        stat({
          title: 'Oldest due message',
          description: 'Age of the oldest due message. Workers start attempts within a second.',
          unit: 's',
          width: 4,
          thresholds: risingThresholds(60, 300),
          queries: [{ expr: `max(calendar_oldest_due_message_age_seconds{${INSTALLATION}})`, legend: 'age' }],
        }),
        stat({
          title: 'Accounts',
          description: 'ACTIVE accounts, and EXPIRED accounts, which their users have to reconnect.',
          unit: 'short',
          width: 4,
          queries: [
            {
              expr: `sum by (status) (max by (namespace, provider, status) (calendar_accounts{${INSTALLATION}}))`,
              legend: '{{status}}',
            },
          ],
        }),
        stat({
          title: 'Provider error rate',
          description: 'Highest share of requests to one provider without a response or with a server error.',
          unit: 'percentunit',
          width: 4,
          thresholds: risingThresholds(0.05, 0.5),
          queries: [
            {
              expr: `max(${ratio(
                `sum by (provider) (rate(calendar_provider_call_duration_seconds_count{${INSTALLATION},outcome=~"server_error|timeout|unreachable|malformed_response"}[5m]))`,
                `sum by (provider) (rate(calendar_provider_call_duration_seconds_count{${INSTALLATION}}[5m]))`,
              )}) or vector(0)`,
              legend: 'failed',
            },
          ],
        }),
        timeSeries({
          title: 'Requests by status',
          description: 'Requests of applications. 502 and 504: the provider failed. 499: the client disconnected.',
          unit: 'reqps',
          width: 8,
          isStacked: true,
          queries: [
            {
              expr: `sum by (http_response_status_code) (rate(http_server_request_duration_seconds_count{${INSTALLATION},http_route=~"/api/v1/.+"}[$__rate_interval]))`,
              legend: '{{http_response_status_code}}',
            },
          ],
        }),
        timeSeries({
          title: 'Change lag',
          description: 'p99. Objective: 5 s.',
          unit: 's',
          width: 8,
          thresholds: risingThresholds(5, 15),
          queries: [
            {
              expr: quantile(
                0.99,
                `sum by (le, provider) (rate(calendar_change_lag_seconds_bucket{${INSTALLATION}}[$__rate_interval]))`,
              ),
              legend: '{{provider}}',
            },
          ],
        }),
        table({
          title: 'Processes',
          description: 'Processes by version.',
          unit: 'none',
          width: 8,
          expr: `count by (namespace, component, version) (calendar_build_info{${INSTALLATION}})`,
          columns: { namespace: 'Namespace', component: 'Component', version: 'Version' },
          valueName: 'Processes',
        }),
      ],
    },
  ],
};
