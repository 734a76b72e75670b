import type { SandboxClock } from '../clock.js';
import { ControlFault, integer, object, optional, text, wrong } from './input.js';
import { get, post, type ControlRoute } from './routes.js';

const YEAR_MS = 366 * 86_400_000;

export function sandboxControls({
  clock,
  reset,
}: {
  clock: SandboxClock;
  /** Restores the initial state. */
  reset: () => Promise<void>;
}): ControlRoute[] {
  const now = (): { now: string } => ({ now: new Date(clock.nowMs()).toISOString() });
  return [
    get('/health', () => ({ status: 'ok', ...now() })),
    post('/reset', object({}), () => reset()),
    post(
      '/clock',
      object({ advanceMs: optional(integer(-YEAR_MS, YEAR_MS)), set: optional(text) }),
      ({ advanceMs, set }) => {
        if ((advanceMs === undefined) === (set === undefined)) {
          throw new ControlFault(400, 'Either advanceMs or set must be given.');
        }
        if (advanceMs !== undefined) clock.advance(advanceMs);
        if (set !== undefined) clock.set(instant(set));
        return now();
      },
    ),
  ];
}

function instant(set: string): number {
  const epochMs = /^\d{4}-\d{2}-\d{2}T.+(?:Z|[+-]\d{2}:\d{2})$/.test(set) ? Date.parse(set) : Number.NaN;
  if (Number.isNaN(epochMs)) throw wrong('set', 'must be an ISO 8601 instant with an offset');
  return epochMs;
}
