import { histogram } from '#platform/telemetry';
import { DatabaseUnavailable } from './database-errors.js';

const statements = histogram('calendar_database_statement_duration_seconds');
const OK = { outcome: 'ok' } as const;
const FAILED = { outcome: 'failed' } as const;
const UNAVAILABLE = { outcome: 'unavailable' } as const;

/** Measures a statement, the wait for its connection included. */
export async function measuredStatement<T>(send: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  try {
    const outcome = await send();
    statements.observe((performance.now() - startMs) / 1_000, OK);
    return outcome;
  } catch (error) {
    const labels = error instanceof DatabaseUnavailable ? UNAVAILABLE : FAILED;
    statements.observe((performance.now() - startMs) / 1_000, labels);
    throw error;
  }
}
