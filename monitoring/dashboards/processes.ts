import { CHOSEN, type Dashboard } from '../dashboard.js';
import { risingThresholds, table, timeSeries } from '../panels.js';

/** Other programs tell of the same metrics: these are of ours. */
const OURS = `and on (job, instance) calendar_build_info{${CHOSEN}}`;

export const processes: Dashboard = {
  name: 'processes',
  title: 'Processes',
  description: 'CPU, memory and event loop of each process.',
  sections: [
    {
      title: 'Processes',
      panels: [
        table({
          title: 'Running processes',
          description: 'Processes and their versions.',
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
          title: 'Starts in 30 min',
          description: 'More than two: the process crashes or is killed.',
          unit: 'none',
          width: 12,
          thresholds: risingThresholds(2, 3),
          queries: [{ expr: `changes(process_start_time_seconds[30m]) ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
        timeSeries({
          title: 'CPU',
          description: 'Cores in use. JavaScript runs on one core; GC and encryption use others.',
          unit: 'none',
          width: 12,
          thresholds: risingThresholds(0.8, 1),
          queries: [
            { expr: `rate(process_cpu_seconds_total[$__rate_interval]) ${OURS}`, legend: '{{job}} {{instance}}' },
          ],
        }),
        timeSeries({
          title: 'Event loop delay',
          description: 'p99 of the event loop delay.',
          unit: 's',
          width: 12,
          thresholds: risingThresholds(0.1, 0.25),
          queries: [{ expr: `nodejs_eventloop_lag_p99_seconds ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
        timeSeries({
          title: 'Memory',
          description: 'Resident memory.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: `process_resident_memory_bytes ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
        timeSeries({
          title: 'Heap',
          description: 'Used heap. A heap that only grows for days leaks.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: `nodejs_heap_size_used_bytes ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
        timeSeries({
          title: 'GC',
          description: 'Share of time in GC. Above 10 % the process is short of memory.',
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
          description: 'Open file descriptors, sockets included, and their limit.',
          unit: 'percentunit',
          width: 12,
          max: 1,
          thresholds: risingThresholds(0.5, 0.8),
          queries: [{ expr: `process_open_fds / process_max_fds ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
        timeSeries({
          title: 'External memory',
          description: 'Buffers, such as bodies of requests and responses.',
          unit: 'bytes',
          width: 12,
          queries: [{ expr: `nodejs_external_memory_bytes ${OURS}`, legend: '{{job}} {{instance}}' }],
        }),
      ],
    },
  ],
};
