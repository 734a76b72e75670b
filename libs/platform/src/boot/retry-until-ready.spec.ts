import { retryUntilReady } from './retry-until-ready.js';

class Pending extends Error {}
const retryOptions = (waitMs: number, reports: unknown[] = []) => ({
  waitMs,
  everyMs: 5,
  isPending: (error: unknown): error is Pending => error instanceof Pending,
  onWait: (error: unknown) => void reports.push(error),
});

describe('retryUntilReady', () => {
  it('asks until there is no error, and tells of the wait once', async () => {
    const reports: unknown[] = [];
    let asked = 0;
    const ask = async () => {
      asked += 1;
      if (asked < 4) throw new Pending(`${asked}`);
    };
    await retryUntilReady(ask, retryOptions(60_000, reports));
    expect([asked, reports]).toEqual([4, [new Pending('1')]]);
  });

  it('throws at once what no waiting can help', async () => {
    const reports: unknown[] = [];
    const never = async () => {
      throw new RangeError('never');
    };
    await expect(retryUntilReady(never, retryOptions(60_000, reports))).rejects.toThrow('never');
    expect(reports).toEqual([]);
  });

  it('gives up in the end, with the last error', async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      throw new Pending('not yet');
    };
    await expect(retryUntilReady(ask, retryOptions(30))).rejects.toThrow('not yet');
    expect(asked).toBeGreaterThan(1);
  });

  it('asks once when there is no time', async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      throw new Pending('not yet');
    };
    await expect(retryUntilReady(ask, retryOptions(0))).rejects.toThrow('not yet');
    expect(asked).toBe(1);
  });
});
