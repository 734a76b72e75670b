import { jest } from '@jest/globals';
import { DeliveryLimiter, type Deferral, type Permit } from './delivery-limiter.js';

const clock = { ms: 0 };

beforeEach(() => {
  jest.useFakeTimers();
  clock.ms = 0;
});
afterEach(() => void jest.useRealTimers());

const slotsOf = (concurrency = 64) =>
  new DeliveryLimiter(
    { concurrency, perEndpoint: 6 },
    () => clock.ms,
    () => 0,
  );

/** Lets time pass for timers and clock alike. */
async function pass(ms: number): Promise<void> {
  clock.ms += ms;
  await jest.advanceTimersByTimeAsync(ms);
}

function slotOf(outcome: Permit | Deferral): Permit {
  if ('busyMs' in outcome) throw new Error('busy');
  return outcome;
}

/** The outcome, when it is there without time having to pass. */
async function now(taken: Promise<Permit | Deferral>): Promise<Permit | Deferral | null> {
  let outcome: Permit | Deferral | null = null;
  void taken.then((one) => (outcome = one));
  await jest.advanceTimersByTimeAsync(0);
  return outcome;
}

describe('DeliveryLimiter', () => {
  it('gives one endpoint six at a time, in both lanes together, and the seventh when one is free', async () => {
    const slots = slotsOf();
    const taken = [];
    for (const attemptKind of ['first', 'repeated'] as const) {
      for (let count = 0; count < 3; count += 1) taken.push(slotOf(await slots.take('a', attemptKind)));
    }
    const seventh = slots.take('a', 'first');
    expect(await now(seventh)).toBeNull();
    taken[0]?.release();
    expect(await now(seventh)).toHaveProperty('release');
  });

  it('knows for whom a slot is free: not one of an endpoint that has its six, nor one of a full lane', async () => {
    const slots = slotsOf(7);
    for (let count = 0; count < 6; count += 1) await slots.take('a', 'first');
    expect([slots.isFree('a', 'first'), slots.isFree('b', 'first')]).toEqual([false, true]);
    const seventh = slotOf(await slots.take('b', 'first'));
    expect([slots.isFree('c', 'first'), slots.isFree('c', 'repeated')]).toEqual([false, true]);
    seventh.release();
    expect(slots.isFree('c', 'first')).toBe(true);
    slots.close();
    expect(slots.isFree('c', 'first')).toBe(false);
  });

  it('lets attempts at different endpoints wait for each other in one lane, in order, and not for those of the other', async () => {
    const slots = slotsOf(1);
    const first = slotOf(await slots.take('a', 'first'));
    const [second, third] = [slots.take('b', 'first'), slots.take('c', 'first')];
    expect(await now(second)).toBeNull();
    expect(await now(slots.take('d', 'repeated'))).toHaveProperty('release');
    first.release();
    const slot = await now(second);
    expect(slot).toHaveProperty('release');
    expect(await now(third)).toBeNull();
    slotOf(slot as Permit).cancel();
    expect(await now(third)).toHaveProperty('release');
  });

  it('keeps whoever has got a slot of its endpoint waiting for one of the process, and loses none', async () => {
    const slots = slotsOf(6);
    const taken = [];
    for (let count = 0; count < 6; count += 1) taken.push(slotOf(await slots.take('a', 'first')));
    const seventh = slots.take('a', 'first');
    const others = Array.from({ length: 20 }, (_, n) => slots.take(`other ${n}`, 'first'));
    for (const slot of taken) slot.release();
    await pass(301);
    expect(await now(seventh)).toBeNull();
    for (const other of others) void other.then((slot) => slotOf(slot).release());
    const slot = await now(seventh);
    expect(slot).toHaveProperty('release');
    slotOf(slot as Permit).release();
    for (let count = 0; count < 6; count += 1) expect(await now(slots.take('a', 'first'))).toHaveProperty('release');
  });

  it('W11 lets others pass an attempt that takes long', async () => {
    const slots = slotsOf(1);
    await slots.take('hangs', 'first');
    const other = slots.take('good', 'first');
    expect(await now(other)).toBeNull();
    await pass(251);
    expect(await now(other)).toHaveProperty('release');
    expect(await now(slots.take('hangs', 'first'))).toHaveProperty('release');
  });

  it('W11 puts off what would have to wait for an endpoint that hangs, each message a little later', async () => {
    const slots = slotsOf();
    for (let count = 0; count < 6; count += 1) await slots.take('hangs', 'first');
    const waits = Array.from({ length: 3 }, () => slots.take('hangs', 'first'));
    await pass(15_000);
    const outcomes = (await Promise.all(waits)) as Deferral[];
    expect(outcomes.every(({ busyMs }) => busyMs >= 100)).toBe(true);
    const later = [];
    for (let count = 0; count < 3; count += 1) later.push(((await slots.take('hangs', 'first')) as Deferral).busyMs);
    expect(later).toEqual(later.toSorted((one, other) => one - other));
    expect(new Set(later).size).toBe(3);
  });

  it('bounds how far it puts off, and forgets it when the endpoint is quick again', async () => {
    const slots = slotsOf();
    const taken = [];
    for (let count = 0; count < 6; count += 1) taken.push(slotOf(await slots.take('a', 'first')));
    await pass(15_000);
    let busyMs = 0;
    for (let count = 0; count < 1_000; count += 1) ({ busyMs } = (await slots.take('a', 'first')) as Deferral);
    expect(busyMs).toBe(150_000);
    for (const slot of taken) slot.release();
    for (let count = 0; count < 10; count += 1) slotOf(await slots.take('a', 'first')).release();
    for (let count = 0; count < 6; count += 1) slotOf(await slots.take('a', 'first'));
    expect(await now(slots.take('a', 'first'))).toBeNull();
  });

  it('bounds the long ones, too', async () => {
    const slots = slotsOf(1);
    for (const endpoint of ['a', 'b']) {
      await slots.take(endpoint, 'first');
      await pass(251);
    }
    const outcomes = [];
    for (let count = 0; count < 8; count += 1) outcomes.push(await slots.take(count < 4 ? 'a' : 'b', 'first'));
    expect(outcomes.filter((outcome) => 'release' in outcome)).toHaveLength(6);
    expect(outcomes.filter((outcome) => 'busyMs' in outcome)).toHaveLength(2);
  });

  it('sends everybody away at once when it is closed', async () => {
    const slots = slotsOf(6);
    const taken = [];
    for (let count = 0; count < 6; count += 1) taken.push(slotOf(await slots.take('a', 'first')));
    const waiting = [slots.take('a', 'first'), slots.take('b', 'first')];
    slots.close();
    expect(await Promise.all(waiting)).toEqual([{ busyMs: 0 }, { busyMs: 0 }]);
    expect(await slots.take('c', 'repeated')).toEqual({ busyMs: 0 });
    for (const slot of taken) slot.release();
  });
});
