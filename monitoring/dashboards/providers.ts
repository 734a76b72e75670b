import { CHOSEN, INSTALLATION, type Dashboard } from '../dashboard.js';
import { heatmap, risingThresholds, stat, table, timeSeries } from '../panels.js';
import { quantile, ratio } from '../queries.js';

const CALLS = 'calendar_provider_call_duration_seconds';
const ERRORS = 'outcome=~"failed|timeout|unreachable|malformedResponse"';

const rateOfCalls = (by: string, more = '') =>
  `sum by (${by}) (rate(${CALLS}_count{${CHOSEN}${more}}[$__rate_interval]))`;

export const providers: Dashboard = {
  name: 'providers',
  title: 'Providers & accounts',
  description:
    'What is asked of providers and how they answer; how many accounts there are, and how their credentials do.',
  sections: [
    {
      title: 'Requests to providers',
      panels: [
        timeSeries({
          title: 'Requests',
          description: 'Each try on its own.',
          unit: 'reqps',
          width: 12,
          queries: [{ expr: rateOfCalls('provider'), legend: '{{provider}}' }],
        }),
        timeSeries({
          title: 'Not answered, or with a fault',
          description:
            'Share of the requests to a provider. At 1 nothing is answered: after ten failures in a row calls fail at once, and one at a time tries.',
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
          title: 'What came of them',
          description:
            '`refused` and `unauthorized` are answers. `malformedResponse` is one that nobody understands. `rateLimited`: too much was asked.',
          unit: 'reqps',
          width: 12,
          isStacked: true,
          queries: [{ expr: rateOfCalls('provider, outcome'), legend: '{{provider}} {{outcome}}' }],
        }),
        timeSeries({
          title: 'By what was asked',
          description: 'The ten kinds of requests that there are most of.',
          unit: 'reqps',
          width: 12,
          queries: [{ expr: `topk(10, ${rateOfCalls('provider, operation')})`, legend: '{{provider}} {{operation}}' }],
        }),
        timeSeries({
          title: 'How long they take',
          description: 'Half of the requests, and 99 of 100, take no longer.',
          unit: 's',
          width: 12,
          queries: [0.5, 0.99].map((share) => ({
            expr: quantile(share, `sum by (le, provider) (rate(${CALLS}_bucket{${CHOSEN}}[$__rate_interval]))`),
            legend: `{{provider}} p${share * 100}`,
          })),
        }),
        heatmap({
          title: 'How many took how long',
          description: 'A dot is one of them whose trace is kept.',
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
      ],
    },
    {
      title: 'Accounts',
      panels: [
        stat({
          title: 'ACTIVE',
          description: 'Accounts that work, as far as is known.',
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
          description: 'Accounts that their users have to connect again.',
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
          title: 'Clients on hold',
          description: 'OAuth clients of which so many accounts were refused at once that none is made EXPIRED.',
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
          title: 'Checks overdue',
          description:
            'For how long the account to be tried next has been due. Above a minute dead credentials are found late.',
          unit: 's',
          width: 6,
          thresholds: risingThresholds(30, 60),
          queries: [{ expr: `max(calendar_credential_check_overdue_seconds{${INSTALLATION}})`, legend: 'overdue' }],
        }),
        timeSeries({
          title: 'Access tokens asked for',
          description:
            '`superseded`: somebody else was faster. `refused`: the user took access away. `failed`: the endpoint, or our client.',
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
          title: 'Accounts found EXPIRED, an hour',
          description: 'By the evidence.',
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
