import { CHOSEN, INSTALLATION, type Dashboard } from '../dashboard.js';
import { heatmap, risingThresholds, stat, table, timeSeries } from '../panels.js';
import { quantile, ratio } from '../queries.js';

const CALLS = 'calendar_provider_call_duration_seconds';
const ERRORS = 'outcome=~"server_error|timeout|unreachable|malformed_response"';

const rateOfCalls = (by: string, more = '') =>
  `sum by (${by}) (rate(${CALLS}_count{${CHOSEN}${more}}[$__rate_interval]))`;

export const providers: Dashboard = {
  name: 'providers',
  title: 'Providers & accounts',
  description: 'Requests to providers, accounts and their credentials.',
  sections: [
    {
      title: 'Requests to providers',
      panels: [
        timeSeries({
          title: 'Requests',
          description: 'Requests per second, each try counted.',
          unit: 'reqps',
          width: 12,
          queries: [{ expr: rateOfCalls('provider'), legend: '{{provider}}' }],
        }),
        timeSeries({
          title: 'Error rate',
          description:
            'Share of requests to a provider without a response or with a server error. After ten failures in a row the circuit breaker rejects calls, except one trial at a time.',
          unit: 'percentunit',
          width: 12,
          max: 1,
          thresholds: risingThresholds(0.1, 0.5),
          queries: [
            {
              expr: ratio(
                `(${rateOfCalls('provider', `,${ERRORS}`)} or ${rateOfCalls('provider')} * 0)`,
                rateOfCalls('provider'),
              ),
              legend: '{{provider}}',
            },
          ],
        }),
        timeSeries({
          title: 'Requests by outcome',
          description:
            '`client_error`, `unauthorized`: 4xx responses. `malformed_response`: the service cannot parse the response. `rate_limited`: the rate limit of the provider.',
          unit: 'reqps',
          width: 12,
          isStacked: true,
          queries: [{ expr: rateOfCalls('provider, outcome'), legend: '{{provider}} {{outcome}}' }],
        }),
        timeSeries({
          title: 'Requests by operation',
          description: 'The ten most frequent operations.',
          unit: 'reqps',
          width: 12,
          queries: [{ expr: `topk(10, ${rateOfCalls('provider, operation')})`, legend: '{{provider}} {{operation}}' }],
        }),
        timeSeries({
          title: 'Request duration',
          description: 'p50 and p99.',
          unit: 's',
          width: 12,
          queries: [0.5, 0.99].map((share) => ({
            expr: quantile(share, `sum by (le, provider) (rate(${CALLS}_bucket{${CHOSEN}}[$__rate_interval]))`),
            legend: `{{provider}} p${share * 100}`,
          })),
        }),
        heatmap({
          title: 'Duration histogram',
          description: 'A dot is a request with a sampled trace.',
          unit: 's',
          width: 12,
          expr: `sum by (le) (increase(${CALLS}_bucket{${CHOSEN}}[$__rate_interval]))`,
        }),
        table({
          title: 'Slowest operations',
          description: 'p99 over an hour.',
          unit: 's',
          width: 24,
          expr: `topk(20, ${quantile(0.99, `sum by (le, provider, operation) (rate(${CALLS}_bucket{${CHOSEN}}[1h]))`)})`,
          columns: { provider: 'Provider', operation: 'Operation' },
          valueName: 'p99',
        }),
        timeSeries({
          title: 'Requests by cause',
          description:
            'Requests per second, as providers count them: for callers, connects, syncs, channels, and checks of credentials.',
          unit: 'reqps',
          width: 12,
          queries: [
            {
              expr: `sum by (provider, cause) (rate(calendar_provider_requests_total{${CHOSEN}}[$__rate_interval]))`,
              legend: '{{provider}} {{cause}}',
            },
          ],
        }),
        timeSeries({
          title: 'Daily requests used',
          description:
            'Requests of the last 24 hours per request of the daily limit, of the project with the highest ratio.',
          unit: 'percentunit',
          width: 6,
          thresholds: risingThresholds(0.9, 1),
          queries: [
            {
              expr: `max by (provider) (calendar_background_budget_used_ratio{${CHOSEN}})`,
              legend: '{{provider}}',
            },
          ],
        }),
        timeSeries({
          title: 'Longest time without a read',
          description: 'Of calendars with a live channel. A lost notification is found by the next read.',
          unit: 's',
          width: 6,
          thresholds: risingThresholds(1860, 3660),
          queries: [{ expr: `max by (provider) (calendar_look_longest_seconds{${CHOSEN}})`, legend: '{{provider}}' }],
        }),
        stat({
          title: 'Calendars read near',
          description: 'Part of the calendars with a live channel that are read at least every nine minutes.',
          unit: 'percentunit',
          width: 6,
          queries: [{ expr: `min(calendar_looks_near_ratio{${INSTALLATION}})`, legend: 'near' }],
        }),
      ],
    },
    {
      title: 'Accounts',
      panels: [
        stat({
          title: 'ACTIVE',
          description: 'Accounts with working credentials, as far as the service knows.',
          unit: 'short',
          width: 6,
          queries: [
            {
              expr: `max by (provider) (calendar_accounts{${INSTALLATION},status="ACTIVE"})`,
              legend: '{{provider}}',
            },
          ],
        }),
        stat({
          title: 'EXPIRED',
          description: 'Accounts that their users have to reconnect.',
          unit: 'short',
          width: 6,
          queries: [
            {
              expr: `max by (provider) (calendar_accounts{${INSTALLATION},status="EXPIRED"})`,
              legend: '{{provider}}',
            },
          ],
        }),
        stat({
          title: 'Mass-expiry breakers',
          description: 'OAuth clients whose mass-expiry breaker is tripped: their accounts do not become EXPIRED.',
          unit: 'none',
          width: 6,
          thresholds: risingThresholds(1, 1),
          queries: [
            {
              expr: `sum(max by (namespace, provider) (calendar_mass_expiry_breakers_tripped{${INSTALLATION}}))`,
              legend: 'on hold',
            },
          ],
        }),
        stat({
          title: 'Credential checks overdue',
          description: 'Age of the oldest due check. Above a minute expired credentials are detected late.',
          unit: 's',
          width: 6,
          thresholds: risingThresholds(30, 60),
          queries: [{ expr: `max(calendar_credential_check_overdue_seconds{${INSTALLATION}})`, legend: 'overdue' }],
        }),
        timeSeries({
          title: 'Token refreshes',
          description:
            '`superseded`: another process refreshed first. `rejected`: the user revoked access. `failed`: the token endpoint or the OAuth client.',
          unit: 'ops',
          width: 12,
          queries: [
            {
              expr: `sum by (provider, outcome) (rate(calendar_token_refreshes_total{${CHOSEN}}[$__rate_interval]))`,
              legend: '{{provider}} {{outcome}}',
            },
          ],
        }),
        timeSeries({
          title: 'Accounts EXPIRED per hour',
          description: 'By reason.',
          unit: 'short',
          width: 12,
          isStacked: true,
          queries: [
            {
              expr: `sum by (provider, reason) (increase(calendar_account_expiries_total{${CHOSEN}}[1h]))`,
              legend: '{{provider}} {{reason}}',
            },
          ],
        }),
      ],
    },
  ],
};
