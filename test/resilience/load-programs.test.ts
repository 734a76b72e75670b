// 90 s: three loads, each long enough to say something about rates.
import { describe, expect, it } from '@jest/globals';
import type { Backlogged } from '../bench/load/backlog.js';
import type { UnderLoad } from '../bench/load/constant-load.js';
import { runLoad } from '../bench/load/load-run.js';

const LITTLE = ['--minutes', '0.1', '--per-second', '60'];
/** Beside other suites: what takes its time is not what is judged here, and nobody has too much to do. */
const BESIDE_OTHERS = ['--slack', '1000', '--setting', 'OVERLOAD_TARGET_DELAY_MS=0'];

describe('npm run load', () => {
  it('ends with 0 when all is well: every request is served, every write told to the receiver', async () => {
    const { exitCode, seen, wrong } = await runLoad<UnderLoad>(...LITTLE, ...BESIDE_OTHERS);
    expect([exitCode, wrong]).toEqual([0, []]);
    expect(seen).toMatchObject({ requests: 360, failures: 0, writes: 18, notNotified: 0 });
    expect(Object.keys(seen.kinds).toSorted()).toEqual(['account', 'accounts', 'busy', 'event', 'events', 'write']);
    expect(seen.ms.notified.p50).toBeGreaterThan(0);
    expect(Math.min(seen.memory.api.lastMiB, seen.memory.worker.lastMiB)).toBeGreaterThan(20);
  });

  it('ends with 1 when requests fail, and when writes are not told', async () => {
    const { exitCode, seen, wrong } = await runLoad<UnderLoad>(
      ...LITTLE,
      ...BESIDE_OTHERS,
      ...['--setting', 'RATE_LIMIT_RPS=40'],
      // The receiver is at an address of this machine, which nobody may call who is not allowed to.
      ...['--worker-setting', 'EGRESS_ALLOW=127.0.0.1:1'],
    );
    expect(exitCode).toBe(1);
    expect(seen.failures).toBeGreaterThan(50);
    expect(seen.notNotified).toBe(seen.writes);
    expect(seen.notNotified).toBeGreaterThan(0);
    expect(wrong.slice(0, 2)).toEqual([
      `${seen.failures} of 360 requests failed`,
      `${seen.notNotified} of ${seen.writes} writes did not reach the receiver`,
    ]);
  });

  it('-- --backlog ends with 0 when what waits harms nobody', async () => {
    const { exitCode, seen, wrong } = await runLoad<Backlogged>(
      '--backlog',
      '3000',
      '--slice',
      '300',
      ...BESIDE_OTHERS,
    );
    expect([exitCode, wrong]).toEqual([0, []]);
    expect(seen.messages).toBe(3_000);
    expect(seen.perSecond.backlogged).toBeGreaterThan(0);
  });
});
