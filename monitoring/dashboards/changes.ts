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
  description: 'From the notification of a provider to the delivery to the receiver.',
  sections: [
    {
      title: 'Now',
      panels: [
        stat({
          title: 'Calendar syncs due',
          description: 'Calendars whose sync is due, at most 20,000.',
          unit: 'short',
          width: 3,
          thresholds: risingThresholds(200, 2_000),
          queries: [{ expr: `max(calendar_syncs_due{${INSTALLATION}})`, legend: 'due' }],
        }),
        stat({
          title: 'Oldest due calendar sync',
          description: 'Age of the oldest due sync. Workers start syncs within a second.',
          unit: 's',
          width: 3,
          thresholds: risingThresholds(60, 300),
          queries: [{ expr: `max(calendar_oldest_due_sync_age_seconds{${INSTALLATION}})`, legend: 'age' }],
        }),
        stat({
          title: 'Messages due',
          description: 'Messages whose next attempt is due.',
          unit: 'short',
          width: 3,
          thresholds: risingThresholds(1_000, 10_000),
          queries: [{ expr: `max(calendar_messages{${INSTALLATION},state="due"})`, legend: 'due' }],
        }),
        stat({
          title: 'Messages scheduled',
          description: 'Messages that wait for a retry.',
          unit: 'short',
          width: 3,
          queries: [{ expr: `max(calendar_messages{${INSTALLATION},state="scheduled"})`, legend: 'scheduled' }],
        }),
        stat({
          title: 'Oldest due message',
          description: 'Age of the oldest due message. Workers start attempts within a second.',
          unit: 's',
          width: 3,
          thresholds: risingThresholds(60, 300),
          queries: [{ expr: `max(calendar_oldest_due_message_age_seconds{${INSTALLATION}})`, legend: 'age' }],
        }),
        stat({
          title: 'Oldest account event',
          description: 'Age of the oldest account event in the outbox.',
          unit: 's',
          width: 3,
          thresholds: risingThresholds(60, 300),
          queries: [{ expr: `max(calendar_outbox_oldest_age_seconds{${INSTALLATION}})`, legend: 'age' }],
        }),
        stat({
          title: 'Disabled endpoints',
          description: 'Endpoints that were disabled after failing for too long.',
          unit: 'none',
          width: 3,
          queries: [{ expr: `max(calendar_endpoints_disabled{${INSTALLATION}})`, legend: 'disabled' }],
        }),
        stat({
          title: 'Channels missing',
          description: 'Subscribed calendars without a channel. The worker polls them instead.',
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
      title: 'Changes',
      panels: [
        timeSeries({
          title: 'Notifications',
          description: 'Notifications of providers. `rejected`: invalid, or of an unknown channel.',
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
          title: 'Calendar syncs',
          description: 'Calendar syncs per second, by outcome.',
          unit: 'ops',
          width: 8,
          queries: [{ expr: rateOf('provider, outcome', 'calendar_syncs_total'), legend: '{{provider}} {{outcome}}' }],
        }),
        timeSeries({
          title: 'Channels',
          description: 'Wanted and actual channels.',
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
          title: 'Calendar syncs waiting',
          description: 'Calendars whose sync is due, at most 20,000.',
          unit: 'short',
          width: 12,
          queries: [{ expr: `max(calendar_syncs_due{${INSTALLATION}})`, legend: 'due' }],
        }),
        timeSeries({
          title: 'Wait of calendar syncs',
          description: 'Age of the oldest due sync. Changes of its calendar are not detected meanwhile.',
          unit: 's',
          width: 12,
          thresholds: risingThresholds(60, 300),
          queries: [{ expr: `max(calendar_oldest_due_sync_age_seconds{${INSTALLATION}})`, legend: 'look' }],
        }),
        timeSeries({
          title: 'Change lag',
          description:
            'From the notification, or the due time of the sync, to the end of the first attempt. Objective for p99: 5 s.',
          unit: 's',
          width: 12,
          thresholds: risingThresholds(5, 15),
          queries: [0.5, 0.99].map((share) => ({
            expr: quantile(share, rateOf('le, provider', `${LAG}_bucket`)),
            legend: `{{provider}} p${share * 100}`,
          })),
        }),
        heatmap({
          title: 'Duration histogram',
          description: 'Changes, from the notification to the receiver.',
          unit: 's',
          width: 12,
          expr: `sum by (le) (increase(${LAG}_bucket{${CHOSEN}}[$__rate_interval]))`,
        }),
      ],
    },
    {
      title: 'Deliveries',
      panels: [
        timeSeries({
          title: 'Attempts',
          description:
            'Attempts by outcome. `blocked`: the URL is not allowed. `interrupted`, `internal`: caused by this service.',
          unit: 'ops',
          width: 12,
          isStacked: true,
          queries: [{ expr: rateOf('outcome', `${ATTEMPTS}_count`), legend: '{{outcome}}' }],
        }),
        timeSeries({
          title: 'Attempt duration',
          description: 'Receivers have 15 s to respond.',
          unit: 's',
          width: 12,
          queries: [0.5, 0.9, 0.99].map((share) => ({
            expr: quantile(share, rateOf('le', `${ATTEMPTS}_bucket`)),
            legend: `p${share * 100}`,
          })),
        }),
        timeSeries({
          title: 'Messages waiting',
          description: '`due`: the next attempt should have started. `scheduled`: retries.',
          unit: 'short',
          width: 12,
          queries: [{ expr: `max by (state) (calendar_messages{${INSTALLATION}})`, legend: '{{state}}' }],
        }),
        timeSeries({
          title: 'Wait of messages',
          description: 'Age of the oldest due message and of the oldest account event in the outbox.',
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
