import { RequestReservations, LEASE_MS } from './provider-rate-limiter.js';

describe('RequestReservations', () => {
  it('hands out what was counted, less the one that is being sent', () => {
    const leases = new RequestReservations();
    expect(leases.take('a', 0)).toBe(false);
    leases.open('a', 3, 0);
    expect([leases.take('a', 1), leases.take('a', 2), leases.take('a', 3)]).toEqual([true, true, false]);
    expect(leases.take('b', 1)).toBe(false);
  });

  it('forgets what was not used in time', () => {
    const leases = new RequestReservations();
    leases.open('a', 3, 0);
    expect(leases.take('a', LEASE_MS)).toBe(false);
  });

  it('doubles while leases are used up in time, up to 8, and starts over after a pause', () => {
    const leases = new RequestReservations();
    const sizes: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const size = leases.nextSize('a', round);
      sizes.push(size);
      leases.open('a', size, round);
      while (leases.take('a', round));
    }
    expect(sizes).toEqual([1, 2, 4, 8, 8, 8]);
    expect(leases.nextSize('a', 10 * LEASE_MS)).toBe(1);
  });

  it('does not prolong the life of an older lease when two were counted at once', () => {
    const leases = new RequestReservations();
    leases.open('a', 4, 0);
    leases.open('a', 4, LEASE_MS - 1);
    expect(leases.take('a', LEASE_MS)).toBe(false);
  });
});
