import { CHOSEN, type Dashboard } from '../dashboard.js';
import { heatmap, risingThresholds, stat, table, timeSeries } from '../panels.js';
import { quantile, ratio, ratioOrZero } from '../queries.js';

const REQUESTS = 'http_server_request_duration_seconds';
const ROUTES = `${CHOSEN},http_route=~"/api/v1/.+"`;
/** Answered from the database alone: docs/operations/slo.md, `api_latency`. */
const DATABASE_READS = `${CHOSEN},http_request_method="GET",http_route=~"/api/v1/endUserAccounts(/:[^/]+)?|/api/v1/webhookEndpoints.*"`;

const durations = (share: number, selector: string) =>
  quantile(share, `sum by (le) (rate(${REQUESTS}_bucket{${selector}}[$__rate_interval]))`);

export const api: Dashboard = {
  name: 'api',
  title: 'API',
  description: 'Requests to the API: rate, errors and duration.',
  sections: [
    {
      title: 'Requests',
      panels: [
        stat({
          title: 'Requests in flight',
          description: 'Requests in flight, over all replicas.',
          unit: 'none',
          width: 4,
          queries: [{ expr: `sum(http_server_active_requests{${CHOSEN}})`, legend: 'under way' }],
        }),
        stat({
          title: 'Server errors',
          description: 'Share of requests with status 500 or 503.',
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
          title: 'Provider errors',
          description: 'Share of requests with status 502 or 504.',
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
          title: 'Database reads, p99',
          description: 'p99 of reads that call no provider. Objective: 100 ms.',
          unit: 's',
          width: 4,
          thresholds: risingThresholds(0.05, 0.1),
          queries: [{ expr: durations(0.99, DATABASE_READS), legend: 'p99' }],
        }),
        stat({
          title: 'Requests shed',
          description: 'Requests per second that the API rejected before any work, for any reason.',
          unit: 'reqps',
          width: 4,
          thresholds: risingThresholds(0.1, 10),
          queries: [
            { expr: `sum(rate(calendar_requests_shed_total{${CHOSEN}}[5m])) or vector(0)`, legend: 'turned away' },
          ],
        }),
        stat({
          title: 'Replicas',
          description: 'API replicas that respond to scrapes.',
          unit: 'none',
          width: 4,
          queries: [{ expr: `count(calendar_build_info{${CHOSEN},component="api"})`, legend: 'instances' }],
        }),
        timeSeries({
          title: 'By status',
          description: 'Requests of applications, operators and providers. Route `*`: no route matched.',
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
          description: 'The ten routes with the most requests.',
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
          title: 'Requests shed, by reason',
          description:
            '`overload`: the process is overloaded. `rateLimit`: a key is at its limit. `draining`: the process is stopping.',
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
          title: 'Requests in flight, by replica',
          description: 'A replica with many more than the others hangs, or the load balancer prefers it.',
          unit: 'none',
          width: 12,
          queries: [{ expr: `sum by (instance) (http_server_active_requests{${CHOSEN}})`, legend: '{{instance}}' }],
        }),
      ],
    },
    {
      title: 'Request duration',
      panels: [
        timeSeries({
          title: 'Database reads',
          description:
            'Duration of reads of accounts, endpoints and messages. They call no provider; when they are slow, everything is.',
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
          description: 'Duration including provider calls.',
          unit: 's',
          width: 12,
          queries: [0.5, 0.9, 0.99].map((share) => ({
            expr: durations(share, ROUTES),
            legend: `p${share * 100}`,
          })),
        }),
        heatmap({
          title: 'Duration histogram',
          description: 'Requests of applications. A dot is a request with a sampled trace.',
          unit: 's',
          width: 12,
          expr: `sum by (le) (increase(${REQUESTS}_bucket{${ROUTES}}[$__rate_interval]))`,
        }),
        timeSeries({
          title: 'Mean duration, by part',
          description:
            'Mean duration of a request, and the part of it that the API waits for providers. The rest is queueing, database and CPU.',
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
          description: 'p99 over an hour, including provider calls.',
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
