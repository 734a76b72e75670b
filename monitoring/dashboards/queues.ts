import { CHOSEN, INSTALLATION, type Dashboard } from '../dashboard.js';
import { heatmap, risingThresholds, stat, timeSeries } from '../panels.js';
import { quantile, ratio, ratioOrZero } from '../queries.js';

const TASKS = 'calendar_job_duration_seconds';
const STATEMENTS = 'calendar_database_statement_duration_seconds';

const rateOf = (by: string, metric: string, more = '') =>
  `sum by (${by}) (rate(${metric}{${CHOSEN}${more}}[$__rate_interval]))`;

export const queues: Dashboard = {
  name: 'queues',
  title: 'Queues & database',
  description: 'Queues of the workers and statements of the database.',
  sections: [
    {
      title: 'Queues',
      panels: [
        timeSeries({
          title: 'Jobs waiting',
          description: 'By queue. Messages that wait in the database are not included.',
          unit: 'short',
          width: 8,
          queries: [
            { expr: `max by (queue) (calendar_queue_jobs{${INSTALLATION},state="waiting"})`, legend: '{{queue}}' },
          ],
        }),
        timeSeries({
          title: 'Jobs in other states',
          description: 'Failed jobs are kept for seven days, up to 1,000 per queue.',
          unit: 'short',
          width: 8,
          queries: [
            {
              expr: `max by (queue, state) (calendar_queue_jobs{${INSTALLATION},state!="waiting"})`,
              legend: '{{queue}} {{state}}',
            },
          ],
        }),
        timeSeries({
          title: 'Oldest waiting job',
          description: 'Workers start jobs within milliseconds.',
          unit: 's',
          width: 8,
          thresholds: risingThresholds(30, 120),
          queries: [
            { expr: `max by (queue) (calendar_queue_oldest_job_age_seconds{${INSTALLATION}})`, legend: '{{queue}}' },
          ],
        }),
        timeSeries({
          title: 'Jobs and periodic tasks',
          description: 'Completed per second.',
          unit: 'ops',
          width: 8,
          queries: [{ expr: rateOf('task', `${TASKS}_count`), legend: '{{task}}' }],
        }),
        timeSeries({
          title: 'Failure rate',
          description: 'Share of failed runs.',
          unit: 'percentunit',
          width: 8,
          max: 1,
          thresholds: risingThresholds(0.05, 0.25),
          queries: [
            {
              expr: ratio(
                `(${rateOf('task', `${TASKS}_count`, ',outcome="failed"')} or ${rateOf('task', `${TASKS}_count`)} * 0)`,
                rateOf('task', `${TASKS}_count`),
              ),
              legend: '{{task}}',
            },
          ],
        }),
        timeSeries({
          title: 'Request duration',
          description: 'p99.',
          unit: 's',
          width: 8,
          queries: [
            {
              expr: quantile(0.99, rateOf('le, task', `${TASKS}_bucket`)),
              legend: '{{task}}',
            },
          ],
        }),
      ],
    },
    {
      title: 'Database',
      panels: [
        stat({
          title: 'Database unavailable',
          description: 'Share of statements without a database connection.',
          unit: 'percentunit',
          width: 6,
          thresholds: risingThresholds(0.001, 0.05),
          queries: [
            {
              expr: ratioOrZero(
                `sum(rate(${STATEMENTS}_count{${CHOSEN},outcome="unavailable"}[5m]))`,
                `sum(rate(${STATEMENTS}_count{${CHOSEN}}[5m]))`,
              ),
              legend: 'not available',
            },
          ],
        }),
        stat({
          title: 'Callers waiting',
          description: 'Callers that wait for a connection, over all processes.',
          unit: 'none',
          width: 6,
          thresholds: risingThresholds(1, 10),
          queries: [{ expr: `sum(calendar_database_connections{${CHOSEN},state="waiting"})`, legend: 'waiting' }],
        }),
        stat({
          title: 'Connections',
          description: 'Open connections over all processes, and their maximum.',
          unit: 'percentunit',
          width: 6,
          thresholds: risingThresholds(0.8, 1),
          queries: [
            {
              expr: `sum(calendar_database_connections{${CHOSEN},state=~"used|idle"}) / sum(calendar_database_connections_max{${CHOSEN}})`,
              legend: 'open',
            },
          ],
        }),
        stat({
          title: 'Collector failures',
          description: 'Workers that cannot read the figures from the database. Their gauges are missing.',
          unit: 'none',
          width: 6,
          thresholds: risingThresholds(1, 1),
          queries: [{ expr: `sum(calendar_collector_failed{${CHOSEN}})`, legend: 'workers' }],
        }),
        timeSeries({
          title: 'Statements',
          description: '`unavailable`: no connection, or a timeout.',
          unit: 'ops',
          width: 12,
          queries: [{ expr: rateOf('outcome', `${STATEMENTS}_count`), legend: '{{outcome}}' }],
        }),
        timeSeries({
          title: 'Request duration',
          description: 'Including the wait for a connection.',
          unit: 's',
          width: 12,
          queries: [0.5, 0.9, 0.99].map((share) => ({
            expr: quantile(share, rateOf('le', `${STATEMENTS}_bucket`)),
            legend: `p${share * 100}`,
          })),
        }),
        timeSeries({
          title: 'Connections, by process',
          description: '`used` and `idle` connections; `waiting`: callers without one.',
          unit: 'none',
          width: 12,
          queries: [
            {
              expr: `sum by (instance, state) (calendar_database_connections{${CHOSEN}})`,
              legend: '{{instance}} {{state}}',
            },
          ],
        }),
        heatmap({
          title: 'Statement duration histogram',
          description: 'Including the wait for a connection.',
          unit: 's',
          width: 12,
          expr: `sum by (le) (increase(${STATEMENTS}_bucket{${CHOSEN}}[$__rate_interval]))`,
        }),
      ],
    },
  ],
};
