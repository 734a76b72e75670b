import { setTimeout as sleep } from 'node:timers/promises';
import { Deadline, unlessAborted, withDeadline } from './deadline.js';

const never = () => new Promise<string>(() => undefined);
const tooLate = () => {
  throw new RangeError('too late');
};

describe('withDeadline', () => {
  it('gives the outcome of work that ends in time, failures included', async () => {
    await expect(withDeadline(Promise.resolve('done'), 60_000, tooLate)).resolves.toBe('done');
    await expect(withDeadline(Promise.reject(new Error('failed')), 60_000, tooLate)).rejects.toThrow('failed');
  });

  it('gives what is said of late work, or throws it', async () => {
    await expect(withDeadline(never(), 1, () => 'late')).resolves.toBe('late');
    await expect(withDeadline(never(), 1, tooLate)).rejects.toThrow(RangeError);
  });

  it('lets late work fail without anybody hearing of it', async () => {
    const work = sleep(10).then(() => Promise.reject(new Error('failed later')));
    await expect(withDeadline(work, 1, () => 'late')).resolves.toBe('late');
    await sleep(20);
  });
});

describe('unlessAborted', () => {
  it('rejects with the reason of the signal, aborted before or meanwhile', async () => {
    const reason = new Error('nobody waits');
    await expect(unlessAborted(never(), AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = unlessAborted(never(), controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(unlessAborted(Promise.resolve('done'), new AbortController().signal)).resolves.toBe('done');
  });
});

describe('Deadline', () => {
  const late = () => new RangeError('too late');

  it('aborts when its time is over, unless it was cleared', async () => {
    const deadline = new Deadline({ ms: 1, late });
    const cleared = new Deadline({ ms: 1, late });
    cleared.clear();
    await sleep(20);
    expect(deadline.signal.reason).toEqual(new RangeError('too late'));
    expect(cleared.signal.aborted).toBe(false);
  });

  it('aborts with a parent, one that has aborted before as well', () => {
    const parent = new AbortController();
    const reasonOf = (cause: unknown) => new Error('left', { cause });
    const plain = new Deadline({ ms: 60_000, late, parents: [undefined, parent.signal] });
    const mapped = new Deadline({ ms: 60_000, late, parents: [parent.signal], reasonOf });
    parent.abort(new Error('gone'));
    expect(plain.signal.reason).toEqual(new Error('gone'));
    expect(mapped.signal.reason).toEqual(new Error('left', { cause: new Error('gone') }));
    expect(new Deadline({ ms: 60_000, late, parents: [parent.signal] }).signal.reason).toBe(parent.signal.reason);
  });
});
