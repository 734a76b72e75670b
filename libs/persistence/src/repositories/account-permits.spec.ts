import { AccountPermits, KEPT_MS, LEASE_MS, LINGER_MS, type HeldPermit } from './account-permits.js';

const slot = (number: number, leasedAtMs = 0): HeldPermit => ({
  slot: number,
  leaseId: `lease ${number}`,
  leasedAtMs,
  idleSinceMs: leasedAtMs,
  isWanted: false,
});

/** Three slots of an account; those given are held, idle since 0. */
function tripped(...held: HeldPermit[]) {
  const slots = new AccountPermits(3);
  slots.add(held, 0);
  const served: string[] = [];
  const wait = (name: string) => {
    const waiter = {
      resolve: ({ slot: number }: HeldPermit) => void served.push(`${name} ${number}`),
      reject: (error: unknown) => void served.push(`${name} ${String(error)}`),
    };
    slots.enqueue(waiter);
    return waiter;
  };
  return { slots, served, wait };
}

describe('AccountPermits', () => {
  it('uses an idle slot again, and one at a time', () => {
    const { slots } = tripped(slot(1));
    const taken = slots.take(1);
    expect(taken?.slot).toBe(1);
    expect(slots.take(2)).toBeNull();
    slots.free(taken as HeldPermit, 3);
    expect(slots.take(4)).toBe(taken);
  });

  it('serves those who wait in the order in which they came, and none that left', () => {
    const { slots, served, wait } = tripped();
    wait('a');
    const b = wait('b');
    wait('c');
    expect(slots.leave(b)).toBe(true);
    expect(slots.leave(b)).toBe(false);
    const one = slot(1);
    slots.add([one], 0);
    expect(served).toEqual(['a 1']);
    slots.free(one, 1);
    expect(served).toEqual(['a 1', 'c 1']);
    expect(slots.take(2)).toBeNull();
  });

  it('lacks what would be used at once, within the limit', () => {
    const { slots, wait } = tripped();
    expect(slots.lacking).toBe(0);
    for (let n = 0; n < 5; n += 1) wait(`${n}`);
    expect(slots.lacking).toBe(3);
    slots.add([slot(1), slot(2)], 0);
    expect(slots.lacking).toBe(1);
  });

  it('begins nothing on a lease that the database is about to end, and lends its slot anew', () => {
    const { slots, wait, served } = tripped(slot(1), slot(2));
    const inUse = slots.take(1) as HeldPermit;
    const late = 0.9 * LEASE_MS;
    expect(slots.take(late)).toBeNull();
    wait('a');
    slots.free(inUse, late);
    expect(served).toEqual([]);
    expect(slots.lacking).toBe(1);
    expect(slots.leaseIds).toEqual([]);
  });

  it('gives back what was idle for a while, and nothing that is in use', () => {
    const { slots } = tripped(slot(1), slot(2));
    slots.take(0);
    expect(slots.surrender(KEPT_MS - 1)).toEqual([]);
    expect(slots.surrender(KEPT_MS).map(({ slot: number }) => number)).toEqual([2]);
    expect(slots.surrender(KEPT_MS)).toEqual([]);
    expect(slots.leaseIds).toEqual(['lease 1']);
  });

  it('asks whether others lack what has been idle for a moment, until that is known', () => {
    const { slots } = tripped(slot(1), slot(2), slot(3));
    slots.take(0);
    const numbers = (nowMs: number) => slots.kept(nowMs).map(({ slot: number }) => number);
    expect(numbers(LINGER_MS - 1)).toEqual([]);
    expect(numbers(LINGER_MS)).toEqual([2, 3]);
    slots.kept(LINGER_MS)[0]!.isWanted = true;
    expect(numbers(LINGER_MS)).toEqual([3]);
    expect(numbers(LEASE_MS)).toEqual([]);
    expect(slots.surrender(LINGER_MS).map(({ slot: number }) => number)).toEqual([2]);
  });

  it('forgets, and does not give back, what is over by itself', () => {
    const { slots } = tripped(slot(1));
    expect(slots.surrender(LEASE_MS)).toEqual([]);
    expect(slots.isUnused).toBe(true);
  });

  it('hands on to nobody here what is wanted elsewhere', () => {
    const { slots, served, wait } = tripped(slot(1));
    const inUse = slots.take(0) as HeldPermit;
    wait('a');
    inUse.isWanted = true;
    expect(slots.surrender(1)).toEqual([]);
    slots.free(inUse, 1);
    expect([served, slots.take(1)]).toEqual([[], null]);
    expect(slots.surrender(1)).toEqual([inUse]);
    expect(slots.lacking).toBe(1);
  });

  it('has slots renewed after a second, as long as they are not over', () => {
    const { slots } = tripped(slot(1), slot(2));
    const inUse = slots.take(0) as HeldPermit;
    expect(slots.dueForRenewal(999)).toEqual([]);
    expect(slots.dueForRenewal(1_000)).toEqual([inUse, expect.objectContaining({ slot: 2 })]);
    expect(slots.dueForRenewal(LEASE_MS)).toEqual([]);
    inUse.leasedAtMs = 1_000;
    expect(slots.dueForRenewal(1_999)).toEqual([expect.objectContaining({ slot: 2 })]);
  });

  it('tells all who wait of a failure', () => {
    const { slots, served, wait } = tripped();
    wait('a');
    wait('b');
    slots.fail('away');
    expect(served).toEqual(['a away', 'b away']);
    expect(slots.isUnused).toBe(true);
  });
});
