import { INSTALLATION, type Dashboard } from '../dashboard.js';
import { fallingThresholds, risingThresholds, stat, table, timeSeries, type Panel } from '../panels.js';
import { quantile, ratio } from '../queries.js';

/** Those of docs/operations/slo.md, and the share of what may be bad. */
const OBJECTIVES = [
  { slo: 'api-availability', budget: 0.001, title: 'API availability' },
  { slo: 'api-latency', budget: 0.01, title: 'API latency' },
  { slo: 'change-lag', budget: 0.01, title: 'Changes in time' },
  { slo: 'delivery-attempts', budget: 0.001, title: 'Attempts kept up' },
  { slo: 'credential-checks', budget: 0.005, title: 'Credentials checked' },
  { slo: 'delivery-freshness', budget: 0.001, title: 'Messages in time' },
  { slo: 'sync-freshness', budget: 0.001, title: 'Looks in time' },
];

const chosen = (slo: string) => `${INSTALLATION},slo="${slo}"`;

function remainingBudget({ slo, budget, title }: (typeof OBJECTIVES)[number]): Panel {
  return stat({
    title,
    description: `What is left of the budget of 30 days of \`${slo}\`. Below 0 the promise of docs/operations/slo.md is broken.`,
    unit: 'percentunit',
    width: 3,
    thresholds: fallingThresholds(0, 0.25),
    queries: [{ expr: `1 - calendar:slo_errors:ratio_rate30d{${chosen(slo)}} / ${budget}`, legend: 'left' }],
  });
}

export const overview: Dashboard = {
  name: 'overview',
  title: 'Overview',
  description: 'Whether the installation keeps what docs/operations/slo.md promises, and how much it does.',
  sections: [
    { title: 'What is left of the budgets', panels: OBJECTIVES.map(remainingBudget) },
    {
      title: 'How fast they are used up',
      panels: [
        timeSeries({
          title: 'Speed, over an hour',
          description:
            '1: the budget lasts exactly 30 days. Somebody is woken up at 14.4 over an hour, if it is so over the last 5 minutes, too.',
          unit: 'short',
          width: 12,
          thresholds: risingThresholds(1, 14.4),
          queries: OBJECTIVES.map(({ slo, budget }) => ({
            expr: `calendar:slo_errors:ratio_rate1h{${chosen(slo)}} / ${budget}`,
            legend: slo,
          })),
        }),
        timeSeries({
          title: 'Speed, over three days',
          description: 'Above 1 there is nothing left at the end of 30 days like these three.',
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
      title: 'How much it does',
      panels: [
        stat({
          title: 'Alerts',
          description: 'That fire now. docs/runbooks has a page for each.',
          unit: 'none',
          width: 4,
          thresholds: risingThresholds(1, 2),
          queries: [
            { expr: 'count(ALERTS{alertname=~"Calendar.+",alertstate="firing"}) or vector(0)', legend: 'firing' },
          ],
        }),
        stat({
          title: 'Requests',
          description: 'Of applications, a second.',
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
          description: 'A second.',
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
          description: 'For how long it has been due. Workers take messages within a second.',
          unit: 's',
          width: 4,
          thresholds: risingThresholds(60, 300),
          queries: [{ expr: `max(calendar_oldest_due_message_age_seconds{${INSTALLATION}})`, legend: 'age' }],
        }),
        stat({
          title: 'Accounts',
          description: 'ACTIVE ones, and EXPIRED ones, which their users have to connect again.',
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
          title: 'Providers that fail',
          description: 'The largest share of requests to one provider that were not answered, or with a fault.',
          unit: 'percentunit',
          width: 4,
          thresholds: risingThresholds(0.05, 0.5),
          queries: [
            {
              expr: `max(${ratio(
                `sum by (provider) (rate(calendar_provider_call_duration_seconds_count{${INSTALLATION},outcome=~"failed|timeout|unreachable|malformedResponse"}[5m]))`,
                `sum by (provider) (rate(calendar_provider_call_duration_seconds_count{${INSTALLATION}}[5m]))`,
              )}) or vector(0)`,
              legend: 'failed',
            },
          ],
        }),
        timeSeries({
          title: 'Requests by status',
          description: 'Of applications. 502 and 504 are failures of providers, 499 are callers that left.',
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
          title: 'From a change to its receiver',
          description: '99 of 100 changes take no longer. 5 s are promised.',
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
          description: 'How many there are of each version.',
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
