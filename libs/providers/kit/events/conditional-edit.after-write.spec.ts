import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '#domain/system';
import { ProviderResponseError } from '../calls/provider-error.js';
import { eventNotFound } from '../calls/http.js';
import { readAfterWrite, awaitConference, type PendingConference } from './conditional-edit.js';

class ShedHandler extends ProviderResponseError {
  constructor() {
    super('The provider', 503, null, '', null);
  }
}

const back = (response: number | Error, signal = new AbortController().signal) => {
  const read = async () => {
    if (response instanceof Error) throw response;
    return response;
  };
  return readAfterWrite(signal, read, () => 1);
};

describe('readAfterWrite', () => {
  it('tells what was read', async () => {
    expect(await back(2)).toBe(2);
  });

  it.each([
    ['the provider refuses', new ShedHandler()],
    ['the token is refused', new DomainError('CredentialsRejected', '')],
    ['the budget is used up', new DomainError('RateLimited', '')],
    ['nothing answers in time', new DomainError('ProviderTimeout', '')],
  ])('tells what is known without it when %s', async (_, error) => {
    expect(await back(error)).toBe(1);
  });

  it('ends with the request', async () => {
    expect(await back(new Error('aborted'), AbortSignal.abort())).toBe(1);
  });

  it('hides no fault of its own', async () => {
    await expect(back(new TypeError('broken'))).rejects.toThrow('broken');
  });
});

/** Ready at the look of that number; an error is thrown instead of a look. */
function meeting(...syncs: (number | null | Error)[]): PendingConference<number> & { paused: number[] } {
  const paused: number[] = [];
  return {
    paused,
    pausesMs: [10, 20, 30],
    connection: {
      session: { signal: new AbortController().signal },
      pause: async (ms) => void paused.push(ms),
    },
    isPending: (event) => event < 9,
    read: async () => {
      const next = syncs.shift();
      if (next instanceof Error) throw next;
      return next ?? null;
    },
  };
}

describe('awaitConference', () => {
  it('looks until the meeting is there, with a pause before each look', async () => {
    const slow = meeting(1, 9);
    expect(await awaitConference(0, slow)).toBe(9);
    expect(slow.paused).toEqual([10, 20]);
    const ready = meeting();
    expect(await awaitConference(9, ready)).toBe(9);
    expect(ready.paused).toEqual([]);
  });

  it('answers with what was seen last when it takes too long, is gone, or cannot be read', async () => {
    expect(await awaitConference(0, meeting(1, 2, 3, 9))).toBe(3);
    expect(await awaitConference(0, meeting(1, null, 9))).toBe(1);
    expect(await awaitConference(0, meeting(1, new ShedHandler(), 9))).toBe(1);
    expect(await awaitConference(0, meeting(eventNotFound(), 9))).toBe(0);
  });

  it('hides no fault of its own', async () => {
    await expect(awaitConference(0, meeting(new TypeError('broken')))).rejects.toThrow('broken');
  });

  it('ends with the request', async () => {
    const signal = AbortSignal.timeout(5);
    const connection = { session: { signal }, pause: (ms: number) => sleep(ms, undefined, { signal }) };
    expect(await awaitConference(0, { ...meeting(9), pausesMs: [600_000], connection })).toBe(0);
  });
});
