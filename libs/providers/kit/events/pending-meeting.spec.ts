import { eventNotFound } from '../series/event-id.js';
import { settledMeeting, type PendingMeeting } from './pending-meeting.js';

class Refusal extends Error {}

/** Ready at the look of that number; an error is thrown instead of a look. */
function meeting(...looks: (number | null | Error)[]): PendingMeeting<number> & { paused: number[] } {
  const paused: number[] = [];
  return {
    paused,
    pausesMs: [10, 20, 30],
    signal: new AbortController().signal,
    isPending: (event) => event < 9,
    read: async () => {
      const next = looks.shift();
      if (next instanceof Error) throw next;
      return next ?? null;
    },
    isRefusal: (error) => error instanceof Refusal,
    pause: async (ms) => paused.push(ms),
  };
}

describe('settledMeeting', () => {
  it('looks until the meeting is there, with a pause before each look', async () => {
    const slow = meeting(1, 9);
    expect(await settledMeeting(0, slow)).toBe(9);
    expect(slow.paused).toEqual([10, 20]);
    const ready = meeting();
    expect(await settledMeeting(9, ready)).toBe(9);
    expect(ready.paused).toEqual([]);
  });

  it('answers with what was seen last when it takes too long, is gone, or cannot be read', async () => {
    expect(await settledMeeting(0, meeting(1, 2, 3, 9))).toBe(3);
    expect(await settledMeeting(0, meeting(1, null, 9))).toBe(1);
    expect(await settledMeeting(0, meeting(1, new Refusal(), 9))).toBe(1);
    expect(await settledMeeting(0, meeting(eventNotFound(), 9))).toBe(0);
  });

  it('hides no fault of its own', async () => {
    await expect(settledMeeting(0, meeting(new TypeError('broken')))).rejects.toThrow('broken');
  });

  it('ends with the request', async () => {
    const { pause: _pause, ...real } = meeting(9);
    expect(await settledMeeting(0, { ...real, pausesMs: [600_000], signal: AbortSignal.timeout(5) })).toBe(0);
  });
});
