import { histogram, type Task } from '#platform/telemetry';

const tasks = histogram('calendar_job_duration_seconds');

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
