import {
  areNotificationsMissing,
  isNear,
  planReads,
  planServer,
  POLLED,
  READS,
  type QuotaUse,
} from './reading-plan.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const GOOGLE: QuotaUse = { requestsPerDay: 900_000, calls: 0, pushed: 0, polled: 0 };
const perDay = ({ min, max }: { min: number; max: number }) => DAY_MS / ((min + max) / 2);
/** Requests that a plan takes in a day. */
const cost = ({ near, others }: ReturnType<typeof planReads>, pushed: number) =>
  near * perDay(READS.near) + (pushed - near) * perDay(others) + pushed * 2.4;

describe('the reads of calendars with a live channel', () => {
  it('are all near without a daily limit, and where it allows', () => {
    expect(planReads({ ...GOOGLE, requestsPerDay: null, pushed: 1e6 })).toEqual({
      ...{ near: 1e6, others: READS.near, polled: null },
    });
    expect(planReads({ ...GOOGLE, pushed: 4_500 }).near).toBe(4_500);
  });

  it.each([
    [10_000, 30],
    [14_000, 30],
    [20_000, 60],
    [28_000, 60],
  ])('of %i calendars stay within a limit, the others within %i minutes', (pushed, minutes) => {
    const plan = planReads({ ...GOOGLE, pushed });
    expect(cost(plan, pushed)).toBeLessThanOrEqual(810_000);
    expect(cost(plan, pushed)).toBeGreaterThan(740_000);
    expect(plan.others.max).toBeLessThanOrEqual(minutes * MINUTE_MS);
  });

  it('are never further apart than an hour', () => {
    for (const given of [{ pushed: 100_000 }, { pushed: 10, calls: 2_000_000 }, { pushed: 10, polled: 100_000 }]) {
      const plan = planReads({ ...GOOGLE, ...given });
      expect(plan.near).toBe(0);
      expect(plan.others.max).toBeCloseTo(60 * MINUTE_MS);
      expect(plan.others.min).toBeGreaterThan(0);
    }
  });

  it('leave to callers what they took in the last day, at least a tenth, and to polled calendars what they take', () => {
    const near = (given: Partial<QuotaUse>) => planReads({ ...GOOGLE, pushed: 10_000, ...given }).near;
    expect(near({ calls: 90_000 })).toBe(near({}));
    expect(near({ calls: 150_000 })).toBeLessThan(near({}));
    expect(near({ polled: 50 })).toBeLessThan(near({}));
  });
});

describe('the reads of polled calendars of a project', () => {
  const polledBy = (given: Partial<QuotaUse>) => planReads({ ...GOOGLE, ...given }).polled;
  const costOf = (polled: number, interval: ReturnType<typeof polledBy>) => polled * perDay(interval ?? POLLED);

  it('are as usual where half of the limit suffices, or what pushed calendars leave', () => {
    expect(polledBy({ polled: 200, pushed: 10_000 })).toBeNull();
    expect(polledBy({ polled: 400 })).toBeNull();
    expect(polledBy({ polled: 1e6, requestsPerDay: null })).toBeNull();
  });

  it.each([
    [1_000, 0, 785_700],
    [5_000, 0, 785_700],
    [1_000, 20_000, 236_900],
    [2_000, 2_000, 437_100],
  ])('of %i, beside %i pushed ones, are stretched evenly to take %i requests a day', (polled, pushed, requests) => {
    const plan = planReads({ ...GOOGLE, polled, pushed });
    const taken = costOf(polled, plan.polled);
    // Intervals are whole milliseconds.
    expect(taken).toBeLessThan(requests + 2);
    expect(taken).toBeGreaterThan(0.9 * requests);
    expect(cost(plan, pushed) + taken).toBeLessThanOrEqual(810_000);
  });

  it('are never further apart than 15 minutes', () => {
    expect(polledBy({ polled: 1e6 })?.max).toBeCloseTo(15 * MINUTE_MS);
  });
});

describe('the reads of the calendars of a server', () => {
  it('are stretched evenly where they would send more than it may get, up to 15 minutes', () => {
    expect(planServer(600, 1)).toEqual(POLLED);
    expect(planServer(600, 500)).toEqual(POLLED);
    expect(planServer(600, 1_000)).toEqual({ min: 90_000, max: 110_000 });
    expect(planServer(600, 9_000).max).toBeCloseTo(15 * MINUTE_MS);
    expect(planServer(600, 1e6).max).toBeCloseTo(15 * MINUTE_MS);
    expect((1_000 * MINUTE_MS) / 100_000).toBeLessThanOrEqual(600);
  });
});

describe('a calendar is near', () => {
  const at = (minute: number) => new Date(minute * MINUTE_MS);
  const plan = { calendars: 10, near: 4, lastNear: { priority: 2, changedAt: at(10) } };

  it('by its priority, then by its last change', () => {
    expect(isNear(plan, { priority: 0, changedAt: at(0) })).toBe(true);
    expect(isNear(plan, { priority: 2, changedAt: at(11) })).toBe(true);
    expect(isNear(plan, { priority: 2, changedAt: at(10) })).toBe(true);
    expect(isNear(plan, { priority: 2, changedAt: at(9) })).toBe(false);
    expect(isNear({ ...plan, lastNear: { priority: 1, changedAt: at(0) } }, { priority: 2, changedAt: at(99) })).toBe(
      false,
    );
  });

  it('where all are, and not where none is', () => {
    const own = { priority: 2, changedAt: at(0) };
    expect(isNear({ calendars: 10, near: 10, lastNear: null }, own)).toBe(true);
    expect(isNear({ calendars: 10, near: 0, lastNear: null }, own)).toBe(false);
    expect(isNear({ calendars: 0, near: 0, lastNear: null }, own)).toBe(false);
  });
});

describe('notifications are missing', () => {
  it.each([
    [0, 120, true],
    [3, 120, true],
    [4, 120, false],
    [0, 119, false],
    [0, 0, false],
  ])('with %i in ten minutes and %i in the hour before: %s', (notifiedLately, notifiedBefore, isMissing) => {
    expect(areNotificationsMissing({ notifiedLately, notifiedBefore })).toBe(isMissing);
  });
});
