import { CHOSEN, type Dashboard } from '../dashboard.js';
import { risingThresholds, table, timeSeries } from '../panels.js';

/** Other programs tell of the same metrics: these are of ours. */
const OURS = `and on (job, instance) calendar_build_info{${CHOSEN}}`;

export const processes: Dashboard = {
  name: 'processes',
  title: 'Processes',
  description: 'What each process takes of its machine.',
  sections: [
    {
      title: 'Processes',
      panels: [
        table({
          title: 'Which there are',
          description: 'And of which version.',
          unit: 'none',
          width: 12,
          expr: `calendar_build_info{${CHOSEN}}`,
          columns: {
            namespace: 'Namespace',
            job: 'Job',
            instance: 'Instance',
            component: 'Component',
            version: 'Version',
          },
          valueName: 'Up',
        }),
        timeSeries({
          title: 'Starts in half an hour',
          description: 'More than two, and it ends by itself or is killed.',
          unit: 'none',
          width: 12,
          thresholds: risingThresholds(2, 3),
          queries: [{ expr: `changes(process_start_time_seconds[30m]) ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
        timeSeries({
          title: 'Processor',
          description:
            'Cores in use. A process computes on one; collecting garbage and encrypting take a little of others.',
          unit: 'none',
          width: 12,
          thresholds: risingThresholds(0.8, 1),
          queries: [
            { expr: `rate(process_cpu_seconds_total[$__rate_interval]) ${OURS}`, legend: '{{job}} {{instance}}' },
          ],
        }),
        timeSeries({
          title: 'Event loop',
          description:
            'How late one of a hundred timers is. The process does not get round to anything else meanwhile.',
          unit: 's',
          width: 12,
          thresholds: risingThresholds(0.1, 0.25),
          queries: [{ expr: `nodejs_eventloop_lag_p99_seconds ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
        timeSeries({
          title: 'Memory',
          description: 'All that the process holds.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: `process_resident_memory_bytes ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
        timeSeries({
          title: 'Heap',
          description: 'In use, of objects. What rises for days and never falls is a leak.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: `nodejs_heap_size_used_bytes ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
        timeSeries({
          title: 'Collecting garbage',
          description: 'Share of the time. Above a tenth it is short of memory.',
          unit: 'percentunit',
          width: 8,
          thresholds: risingThresholds(0.05, 0.1),
          queries: [
            {
              expr: `sum by (job, instance) (rate(nodejs_gc_duration_seconds_sum[$__rate_interval])) ${OURS}`,
              legend: '{{job}} {{instance}}',
            },
          ],
        }),
        timeSeries({
          title: 'Open files',
          description: 'Sockets included, of as many as it may open.',
          unit: 'percentunit',
          width: 12,
          max: 1,
          thresholds: risingThresholds(0.5, 0.8),
          queries: [{ expr: `process_open_fds / process_max_fds ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
        timeSeries({
          title: 'Memory outside of the heap',
          description: 'Buffers: bodies of requests and answers.',
          unit: 'bytes',
          width: 12,
          queries: [{ expr: `nodejs_external_memory_bytes ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
      ],
    },
  ],
};
