import { CATALOGUE } from '#platform/telemetry';
import { QUEUES } from './queue-monitor.js';

describe('the queues that are measured', () => {
  it('are those that there are', () => {
    expect(CATALOGUE.calendar_queue_jobs.labels.queue).toEqual(QUEUES.map((name) => name.replaceAll('-', '_')));
  });
});
