import { histogram, type Task } from '#platform/telemetry';

const tasks = histogram('calendar_job_duration_seconds');

/** Measures the duration and outcome of a job or of one run of a periodic task. */
export async function measuredTask<T>(task: Task, work: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  let outcome: 'ok' | 'failed' = 'failed';
  try {
    const result = await work();
    outcome = 'ok';
    return result;
  } finally {
    tasks.observe((performance.now() - startMs) / 1_000, { task, outcome });
  }
}
