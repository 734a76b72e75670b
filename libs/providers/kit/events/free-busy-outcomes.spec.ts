import type { BusySlot } from '#domain/events';
import { DomainError } from '#domain/system';
import { freeBusyOutcomes } from './free-busy-outcomes.js';

const WINDOW = { startMs: 0, endMs: 100 };
const request = (...calendarIds: string[]) => ({ window: WINDOW, timeZone: 'UTC', calendarIds });
const same = (error: unknown) => error;

describe('freeBusyOutcomes', () => {
  it('answers in the order asked, merged and clipped, and reads each calendar once', async () => {
    const read: string[] = [];
    const slots: Record<string, BusySlot[]> = {
      a: [
        { startMs: 50, endMs: 120 },
        { startMs: -10, endMs: 20 },
        { startMs: 20, endMs: 30 },
      ],
      b: [],
    };
    const outcomes = await freeBusyOutcomes(request('b', 'a', 'b'), {
      atOnce: 2,
      read: async (id) => {
        read.push(id);
        return slots[id]!;
      },
      toError: same,
    });
    expect(outcomes).toEqual([
      { calendarId: 'b', busySlots: [] },
      {
        calendarId: 'a',
        busySlots: [
          { startMs: 0, endMs: 30 },
          { startMs: 50, endMs: 100 },
        ],
      },
      { calendarId: 'b', busySlots: [] },
    ]);
    expect(read.sort()).toEqual(['a', 'b']);
  });

  it('reads as many at once as it may', async () => {
    let running = 0;
    let most = 0;
    await freeBusyOutcomes(request('a', 'b', 'c', 'd', 'e'), {
      atOnce: 3,
      read: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        return [];
      },
      toError: same,
    });
    expect(most).toBe(3);
  });

  it('tells the failure of one calendar beside the others', async () => {
    const gone = new DomainError('NotFound', 'None.');
    const outcomes = await freeBusyOutcomes(request('a', 'b'), {
      atOnce: 1,
      read: (id) => (id === 'a' ? Promise.reject(new RangeError('404')) : Promise.resolve([])),
      toError: (error) => (error instanceof RangeError ? gone : error),
    });
    expect(outcomes).toEqual([
      { calendarId: 'a', error: gone },
      { calendarId: 'b', busySlots: [] },
    ]);
  });

  it.each([
    ['a refused account', new DomainError('CredentialsRejected', 'No.')],
    ['a budget that is used up', new DomainError('RateLimited', 'Later.')],
    ['a mistake of our own', new TypeError('mistake')],
  ])('fails as a whole, and reads no further, after %s', async (_, error) => {
    const read: string[] = [];
    const outcomes = freeBusyOutcomes(request('a', 'b', 'c'), {
      atOnce: 1,
      read: (id) => {
        read.push(id);
        return Promise.reject(error);
      },
      toError: same,
    });
    await expect(outcomes).rejects.toBe(error);
    expect(read).toEqual(['a']);
  });
});
