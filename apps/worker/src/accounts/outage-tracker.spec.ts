import { OutageTracker } from './outage-tracker.js';

function outagesOf() {
  const clock = { ms: 0 };
  return { clock, outages: new OutageTracker(20, () => clock.ms) };
}

const fail = (outages: OutageTracker, times: number) =>
  Array.from({ length: times }, () => outages.recordFailure('GOOGLE')).at(-1);

describe('OutageTracker', () => {
  it('takes so many failures in a row for an outage, of that place alone', () => {
    const { outages } = outagesOf();
    expect(fail(outages, 19)).toBeNull();
    expect(outages.isDown('GOOGLE')).toBe(false);
    expect(fail(outages, 1)).toBe(30_000);
    expect(outages.isDown('GOOGLE')).toBe(true);
    expect(outages.isDown('CALDAV')).toBe(false);
  });

  it('takes no row that an answer interrupts for one', () => {
    const { outages } = outagesOf();
    fail(outages, 19);
    outages.recordRecovery('GOOGLE');
    expect(fail(outages, 19)).toBeNull();
  });

  it('waits twice as long after every failed try, up to five minutes, and ends with the first answer', () => {
    const { outages, clock } = outagesOf();
    const pauses: (number | null | undefined)[] = [fail(outages, 20)];
    for (let round = 0; round < 4; round += 1) {
      clock.ms += pauses.at(-1)!;
      expect(outages.isDown('GOOGLE')).toBe(false);
      pauses.push(fail(outages, 1));
    }
    expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 300_000]);
    outages.recordRecovery('GOOGLE');
    expect(outages.isDown('GOOGLE')).toBe(false);
    expect(fail(outages, 19)).toBeNull();
  });

  it('does not wait longer for failures of what was under way when it was noticed', () => {
    const { outages } = outagesOf();
    fail(outages, 20);
    expect(fail(outages, 9)).toBeNull();
  });
});
