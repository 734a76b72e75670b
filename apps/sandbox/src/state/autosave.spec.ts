import { jest } from '@jest/globals';
import { Autosave } from './autosave.js';

describe('Autosave', () => {
  const save = jest.fn<() => void>();
  let autosave: Autosave;

  beforeEach(() => {
    jest.useFakeTimers();
    save.mockReset();
    autosave = new Autosave(save);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('saves within a second, once for all changes of the meantime', () => {
    autosave.soon();
    jest.advanceTimersByTime(400);
    autosave.soon();
    expect(save).not.toHaveBeenCalled();
    jest.advanceTimersByTime(600);
    expect(save).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(10_000);
    expect(save).toHaveBeenCalledTimes(1);
  });

  it('is not put off by changes that never end', () => {
    for (let waited = 0; waited < 1_000; waited += 100) {
      autosave.soon();
      jest.advanceTimersByTime(100);
    }
    expect(save).toHaveBeenCalled();
  });

  it('saves at once when asked to, and not again afterwards', () => {
    autosave.soon();
    autosave.now();
    expect(save).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(10_000);
    expect(save).toHaveBeenCalledTimes(1);
  });

  it('says when it cannot, and tries again after the next change', () => {
    const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    save.mockImplementationOnce(() => {
      throw new Error('no space left');
    });
    autosave.soon();
    jest.advanceTimersByTime(1_000);
    expect(written.mock.calls).toEqual([['The state could not be saved: no space left\n']]);
    autosave.soon();
    jest.advanceTimersByTime(1_000);
    expect(save).toHaveBeenCalledTimes(2);
    written.mockRestore();
  });

  it('tells whoever waits for it', () => {
    save.mockImplementationOnce(() => {
      throw new Error('no space left');
    });
    expect(() => autosave.now()).toThrow('no space left');
  });
});
