import { editEvent, removeEvent, type EditTarget } from './conditional-edit.js';
import { eventNotFound } from '../calls/http.js';

class Overtaken extends Error {}

/** An event whose version is that of its reads: each one finds it changed. */
function changing() {
  const target = {
    reads: 0,
    async find() {
      target.reads += 1;
      return { etag: `W/"${target.reads}"` };
    },
    isVersionConflict: (error: unknown) => error instanceof Overtaken,
  };
  return target satisfies EditTarget<{ etag: string | null }>;
}

/** Overtaken so many times, then done. */
const overtaken = (times: number) => {
  let left = times;
  return async ({ etag }: { etag: string }) => {
    if ((left -= 1) >= 0) throw new Overtaken();
    return etag;
  };
};

describe('editEvent', () => {
  it('tries again from a read of its own, three times in all', async () => {
    const target = changing();
    expect(await editEvent(undefined, target, overtaken(2))).toBe('W/"3"');
    await expect(editEvent(undefined, changing(), overtaken(3))).rejects.toMatchObject({ code: 'Conflict' });
  });

  it('waits before the next try, longer each time and a second at most', async () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(1);
    const clock = jest.spyOn(performance, 'now');
    const pauses: number[] = [];
    for (const tookMs of [100, 700]) {
      let nowMs = 0;
      clock.mockImplementation(() => (nowMs += tookMs));
      await editEvent(undefined, changing(), overtaken(2), async (ms) => pauses.push(ms));
    }
    random.mockRestore();
    clock.mockRestore();
    expect(pauses).toEqual([100, 200, 700, 1_000]);
  });

  it('tries only the version that the caller named', async () => {
    expect(await editEvent('1', changing(), overtaken(0))).toBe('W/"1"');
    for (const [ifMatch, times] of [
      ['1', 1],
      ['2', 0],
    ] as const) {
      const target = changing();
      await expect(editEvent(ifMatch, target, overtaken(times))).rejects.toMatchObject({ code: 'PreconditionFailed' });
      expect(target.reads).toBe(1);
    }
  });

  it('leaves every other failure what it is', async () => {
    const target = changing();
    await expect(editEvent(undefined, target, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    expect(target.reads).toBe(1);
  });
});

describe('removeEvent', () => {
  it('takes what went away while it was tried for deleted', async () => {
    await removeEvent(undefined, changing(), () => Promise.reject(eventNotFound()));
    const target = changing();
    const goneLater = async () => {
      if (target.reads > 0) throw eventNotFound();
      target.reads += 1;
      return { etag: null };
    };
    await removeEvent(undefined, { ...target, find: goneLater }, () => Promise.reject(new Overtaken()));
  });

  it('does not delete what was not there', async () => {
    const gone = { ...changing(), find: () => Promise.reject(eventNotFound()) };
    await expect(removeEvent(undefined, gone, async () => undefined)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(removeEvent(undefined, changing(), () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  });
});
