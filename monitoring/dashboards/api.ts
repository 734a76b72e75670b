import { CHOSEN, type Dashboard } from '../dashboard.js';
import { heatmap, risingThresholds, stat, table, timeSeries } from '../panels.js';
import { quantile, ratio, ratioOrZero } from '../queries.js';

const REQUESTS = 'http_server_request_duration_seconds';
const ROUTES = `${CHOSEN},http_route=~"/api/v1/.+"`;
/** Answered from the database alone: docs/operations/slo.md, `api-latency`. */
const DATABASE_READS = `${CHOSEN},http_request_method="GET",http_route=~"/api/v1/endUserAccounts(/:[^/]+)?|/api/v1/webhookEndpoints.*"`;

const durations = (share: number, selector: string) =>
  quantile(share, `sum by (le) (rate(${REQUESTS}_bucket{${selector}}[$__rate_interval]))`);

export const api: Dashboard = {
  name: 'api',
  title: 'API',
  description: 'What is asked of the API, how it is answered, and what that takes.',
  sections: [
    {
      title: 'Requests',
      panels: [
        stat({
          title: 'Under way',
          description: 'Requests that are being answered, over all instances.',
          unit: 'none',
          width: 4,
          queries: [{ expr: `sum(http_server_active_requests{${CHOSEN}})`, legend: 'under way' }],
        }),
        stat({
          title: 'Faults of ours',
          description: 'Share of requests that are answered with 500 or 503.',
          unit: 'percentunit',
          width: 4,
          thresholds: risingThresholds(0.001, 0.0144),
          queries: [
            {
              expr: ratioOrZero(
                `sum(rate(${REQUESTS}_count{${CHOSEN},http_route=~"/api/v1/.+|[*]",http_response_status_code=~"500|503"}[5m]))`,
                `sum(rate(${REQUESTS}_count{${CHOSEN}}[5m]))`,
              ),
              legend: 'faults',
            },
          ],
        }),
        stat({
          title: 'Faults of providers',
          description: 'Share of requests that are answered with 502 or 504.',
          unit: 'percentunit',
          width: 4,
          thresholds: risingThresholds(0.05, 0.5),
          queries: [
            {
              expr: ratioOrZero(
                `sum(rate(${REQUESTS}_count{${ROUTES},http_response_status_code=~"502|504"}[5m]))`,
                `sum(rate(${REQUESTS}_count{${CHOSEN}}[5m]))`,
              ),
              legend: 'faults',
            },
          ],
        }),
        stat({
          title: 'Reads of our own, p99',
          description: '99 of 100 reads that ask no provider take no longer. 100 ms are promised.',
          unit: 's',
          width: 4,
          thresholds: risingThresholds(0.05, 0.1),
          queries: [{ expr: durations(0.99, DATABASE_READS), legend: 'p99' }],
        }),
        stat({
          title: 'Turned away',
          description: 'Requests a second that were refused before any work, for whatever reason.',
          unit: 'reqps',
          width: 4,
          thresholds: risingThresholds(0.1, 10),
          queries: [
            { expr: `sum(rate(calendar_requests_shed_total{${CHOSEN}}[5m])) or vector(0)`, legend: 'turned away' },
          ],
        }),
        stat({
          title: 'Instances',
          description: 'Of the API, that answer their scrapes.',
          unit: 'none',
          width: 4,
          queries: [{ expr: `count(calendar_build_info{${CHOSEN},component="api"})`, legend: 'instances' }],
        }),
        timeSeries({
          title: 'By status',
          description: 'Requests of applications, operators and providers. `*` as a route: none took it.',
          unit: 'reqps',
          width: 12,
          isStacked: true,
          queries: [
            {
              expr: `sum by (http_response_status_code) (rate(${REQUESTS}_count{${CHOSEN}}[$__rate_interval]))`,
              legend: '{{http_response_status_code}}',
            },
          ],
        }),
        timeSeries({
          title: 'By route',
          description: 'The ten that are asked for most.',
          unit: 'reqps',
          width: 12,
          queries: [
            {
              expr: `topk(10, sum by (http_request_method, http_route) (rate(${REQUESTS}_count{${CHOSEN}}[$__rate_interval])))`,
              legend: '{{http_request_method}} {{http_route}}',
            },
          ],
        }),
        timeSeries({
          title: 'Turned away, by reason',
          description:
            '`overload`: more comes than can be done. `rateLimit`: a key is at its limit. `draining`: an instance is stopping.',
          unit: 'reqps',
          width: 12,
          queries: [
            {
              expr: `sum by (reason) (rate(calendar_requests_shed_total{${CHOSEN}}[$__rate_interval]))`,
              legend: '{{reason}}',
            },
          ],
        }),
        timeSeries({
          title: 'Under way, by instance',
          description: 'One that has many more than the others hangs, or gets more than its share.',
          unit: 'none',
          width: 12,
          queries: [{ expr: `sum by (instance) (http_server_active_requests{${CHOSEN}})`, legend: '{{instance}}' }],
        }),
      ],
    },
    {
      title: 'How long they take',
      panels: [
        timeSeries({
          title: 'Reads of our own',
          description: 'Accounts, endpoints, messages: no provider is asked. What slows these slows everything.',
          unit: 's',
          width: 12,
          thresholds: risingThresholds(0.1, 0.25),
          queries: [0.5, 0.9, 0.99].map((share) => ({
            expr: durations(share, DATABASE_READS),
            legend: `p${share * 100}`,
          })),
        }),
        timeSeries({
          title: 'All requests of applications',
          description: 'The time of providers included.',
          unit: 's',
          width: 12,
          queries: [0.5, 0.9, 0.99].map((share) => ({
            expr: durations(share, ROUTES),
            legend: `p${share * 100}`,
          })),
        }),
        heatmap({
          title: 'How many took how long',
          description: 'Requests of applications. A dot is one of them whose trace is kept.',
          unit: 's',
          width: 12,
          expr: `sum by (le) (increase(${REQUESTS}_bucket{${ROUTES}}[$__rate_interval]))`,
        }),
        timeSeries({
          title: 'Where the time goes, on average',
          description:
            'What a request of an application takes, and what the API waits for providers meanwhile. The difference is ours: queueing, the database, computing.',
          unit: 's',
          width: 12,
          queries: [
            {
              expr: ratio(
                `sum(rate(${REQUESTS}_sum{${ROUTES}}[$__rate_interval]))`,
                `sum(rate(${REQUESTS}_count{${ROUTES}}[$__rate_interval]))`,
              ),
              legend: 'a request',
            },
            {
              expr: ratio(
                `sum(rate(calendar_provider_call_duration_seconds_sum{${CHOSEN}}[$__rate_interval]) and on (job, instance) calendar_build_info{component="api"})`,
                `sum(rate(${REQUESTS}_count{${ROUTES}}[$__rate_interval]))`,
              ),
              legend: 'of it, waiting for providers',
            },
          ],
        }),
        table({
          title: 'Slowest routes',
          description: 'p99 over an hour, the time of providers included.',
          unit: 's',
          width: 24,
          expr: `topk(20, ${quantile(0.99, `sum by (le, http_request_method, http_route) (rate(${REQUESTS}_bucket{${ROUTES}}[1h]))`)})`,
          columns: { http_request_method: 'Method', http_route: 'Route' },
          valueName: 'p99',
        }),
      ],
    },
  ],
};
