import { CHOSEN, INSTALLATION, type Dashboard } from '../dashboard.js';
import { heatmap, risingThresholds, stat, timeSeries } from '../panels.js';
import { quantile } from '../queries.js';

const LAG = 'calendar_change_lag_seconds';
const ATTEMPTS = 'calendar_delivery_attempt_duration_seconds';

const rateOf = (by: string, metric: string, more = '') =>
  `sum by (${by}) (rate(${metric}{${CHOSEN}${more}}[$__rate_interval]))`;

export const changes: Dashboard = {
  name: 'changes',
  title: 'Changes & deliveries',
  description: 'From what a provider tells to what a receiver gets.',
  sections: [
    {
      title: 'Now',
      panels: [
        stat({
          title: 'Looks due',
          description: 'Calendars that ought to be looked at. Of more than 20,000 no more are counted.',
          unit: 'short',
          width: 3,
          thresholds: risingThresholds(200, 2_000),
          queries: [{ expr: `max(calendar_syncs_due{${INSTALLATION}})`, legend: 'due' }],
        }),
        stat({
          title: 'Oldest due look',
          description: 'For how long it has been due. Workers take looks within a second.',
          unit: 's',
          width: 3,
          thresholds: risingThresholds(60, 300),
          queries: [{ expr: `max(calendar_oldest_due_sync_age_seconds{${INSTALLATION}})`, legend: 'age' }],
        }),
        stat({
          title: 'Messages due',
          description: 'Messages that ought to be under way.',
          unit: 'short',
          width: 3,
          thresholds: risingThresholds(1_000, 10_000),
          queries: [{ expr: `max(calendar_messages{${INSTALLATION},state="due"})`, legend: 'due' }],
        }),
        stat({
          title: 'Messages scheduled',
          description: 'Messages whose next attempt comes later: their receivers have failed.',
          unit: 'short',
          width: 3,
          queries: [{ expr: `max(calendar_messages{${INSTALLATION},state="scheduled"})`, legend: 'scheduled' }],
        }),
        stat({
          title: 'Oldest due message',
          description: 'For how long it has been due. Workers take messages within a second.',
          unit: 's',
          width: 3,
          thresholds: risingThresholds(60, 300),
          queries: [{ expr: `max(calendar_oldest_due_message_age_seconds{${INSTALLATION}})`, legend: 'age' }],
        }),
        stat({
          title: 'Oldest account event',
          description: 'For how long it has waited to become a message.',
          unit: 's',
          width: 3,
          thresholds: risingThresholds(60, 300),
          queries: [{ expr: `max(calendar_outbox_oldest_age_seconds{${INSTALLATION}})`, legend: 'age' }],
        }),
        stat({
          title: 'Disabled endpoints',
          description: 'Nothing is delivered to them since they failed for too long.',
          unit: 'none',
          width: 3,
          queries: [{ expr: `max(calendar_endpoints_disabled{${INSTALLATION}})`, legend: 'disabled' }],
        }),
        stat({
          title: 'Channels missing',
          description: 'Calendars that ought to have a channel and have none: their changes are found by looking.',
          unit: 'none',
          width: 3,
          thresholds: risingThresholds(1, 10),
          queries: [
            {
              expr: `sum(max by (namespace, provider) (calendar_channels{${INSTALLATION},state="wanted"}) - max by (namespace, provider) (calendar_channels{${INSTALLATION},state="actual"}))`,
              legend: 'missing',
            },
          ],
        }),
      ],
    },
    {
      title: 'Changes in',
      panels: [
        timeSeries({
          title: 'Notifications',
          description: 'Of providers. `refused`: forged, or of a channel that there is not.',
          unit: 'ops',
          width: 8,
          queries: [
            {
              expr: rateOf('provider, outcome', 'calendar_notifications_total'),
              legend: '{{provider}} {{outcome}}',
            },
          ],
        }),
        timeSeries({
          title: 'Looks',
          description: 'Reads that find out what changed.',
          unit: 'ops',
          width: 8,
          queries: [{ expr: rateOf('provider, outcome', 'calendar_syncs_total'), legend: '{{provider}} {{outcome}}' }],
        }),
        timeSeries({
          title: 'Channels',
          description: 'Those that ought to be there, and those that are.',
          unit: 'none',
          width: 8,
          queries: [
            {
              expr: `max by (provider, state) (calendar_channels{${INSTALLATION}})`,
              legend: '{{provider}} {{state}}',
            },
          ],
        }),
        timeSeries({
          title: 'Looks that wait',
          description: 'Calendars that ought to be looked at. Of more than 20,000 no more are counted.',
          unit: 'short',
          width: 12,
          queries: [{ expr: `max(calendar_syncs_due{${INSTALLATION}})`, legend: 'due' }],
        }),
        timeSeries({
          title: 'For how long looks wait',
          description: 'The one that has been due for longest. Changes of its calendar are not noticed.',
          unit: 's',
          width: 12,
          thresholds: risingThresholds(60, 300),
          queries: [{ expr: `max(calendar_oldest_due_sync_age_seconds{${INSTALLATION}})`, legend: 'look' }],
        }),
        timeSeries({
          title: 'From a change to its receiver',
          description:
            'From the notification, or the time of the look, to the end of the first attempt. 5 s are promised for p99.',
          unit: 's',
          width: 12,
          thresholds: risingThresholds(5, 15),
          queries: [0.5, 0.99].map((share) => ({
            expr: quantile(share, rateOf('le, provider', `${LAG}_bucket`)),
            legend: `{{provider}} p${share * 100}`,
          })),
        }),
        heatmap({
          title: 'How many took how long',
          description: 'Changes, from the notification to the receiver.',
          unit: 's',
          width: 12,
          expr: `sum by (le) (increase(${LAG}_bucket{${CHOSEN}}[$__rate_interval]))`,
        }),
      ],
    },
    {
      title: 'Messages out',
      panels: [
        timeSeries({
          title: 'Attempts',
          description:
            'What came of them. `blocked`: an address that we may not go to. `interrupted`, `internal`: our doing.',
          unit: 'ops',
          width: 12,
          isStacked: true,
          queries: [{ expr: rateOf('outcome', `${ATTEMPTS}_count`), legend: '{{outcome}}' }],
        }),
        timeSeries({
          title: 'How long receivers take',
          description: 'They have 15 s.',
          unit: 's',
          width: 12,
          queries: [0.5, 0.9, 0.99].map((share) => ({
            expr: quantile(share, rateOf('le', `${ATTEMPTS}_bucket`)),
            legend: `p${share * 100}`,
          })),
        }),
        timeSeries({
          title: 'Messages that wait',
          description: '`due` ones ought to be few; `scheduled` ones are repeats.',
          unit: 'short',
          width: 12,
          queries: [{ expr: `max by (state) (calendar_messages{${INSTALLATION}})`, legend: '{{state}}' }],
        }),
        timeSeries({
          title: 'For how long they wait',
          description: 'The oldest message that is due, and the oldest account event that is not a message yet.',
          unit: 's',
          width: 12,
          thresholds: risingThresholds(60, 300),
          queries: [
            { expr: `max(calendar_oldest_due_message_age_seconds{${INSTALLATION}})`, legend: 'message' },
            { expr: `max(calendar_outbox_oldest_age_seconds{${INSTALLATION}})`, legend: 'account event' },
          ],
        }),
      ],
    },
  ],
};
