import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { AccountAccess, CredentialCheck } from '#application';
import {
  DomainError,
  type AccountHealthRepository,
  type CalendarProviders,
  type CheckIntervals,
  type EndUserAccount,
} from '#domain';
import { AccountChecks } from './account-checks.js';

const APP = { applicationId: 'app' };
const INTERVAL_MS = 480_000;
const PROVIDERS = [
  { type: 'GOOGLE', capabilities: { authentication: 'oauth' } },
  { type: 'MICROSOFT', capabilities: { authentication: 'oauth' } },
  { type: 'APPLE', capabilities: { authentication: 'password' } },
  { type: 'CALDAV', capabilities: { authentication: 'password' } },
];
const INTERVALS = { GOOGLE: 480_000, MICROSOFT: 480_000, APPLE: 240_000, CALDAV: 240_000 };
const AWAY = { status: 503, code: null, message: 'away', retryable: true };

const errors = jest.spyOn(Logger.prototype, 'error');
const warnings = jest.spyOn(Logger.prototype, 'warn');
beforeEach(() => {
  for (const log of [errors, warnings]) {
    log.mockReset();
    log.mockImplementation(() => undefined);
  }
});

/** Checks of accounts that are due; `check` stands for the provider. `serverOf`: of CALDAV accounts. */
function checksOf(
  check: (id: string, signal: AbortSignal) => Promise<void>,
  serverOf: (id: string) => string | null = () => null,
) {
  const claims: CheckIntervals[] = [];
  const given: string[] = [];
  const intervals: number[] = [];
  const health = {
    async claim({ accountId }: { accountId: string }, intervalMs: CheckIntervals) {
      claims.push(intervalMs);
      return accountId !== 'not due';
    },
    checkBy: async (_application: unknown, id: string) => void given.push(id),
  };
  const access = {
    getActive: async (_application: unknown, id: string) => {
      if (id === 'gone') throw new DomainError('NotFound', 'none');
      const serverUrl = serverOf(id);
      const providerType = serverUrl === null ? 'GOOGLE' : 'CALDAV';
      return { id, applicationId: 'app', providerType, serverUrl } as EndUserAccount;
    },
  };
  const credentials = {
    check: (account: EndUserAccount, intervalMs: number, signal: AbortSignal) => {
      intervals.push(intervalMs);
      return check(account.id, signal);
    },
  };
  const checks = new AccountChecks(
    health as unknown as AccountHealthRepository,
    access as unknown as AccountAccess,
    credentials as unknown as CredentialCheck,
    { all: () => PROVIDERS } as unknown as CalendarProviders,
    { expiryProbeInterval: INTERVAL_MS / 1_000 },
  );
  const stopping = new AbortController();
  /** Ten at a time, as the queue does. */
  const run = async (ids: string[]) => {
    const waiting = ids.values();
    const slot = async () => {
      for (const accountId of waiting) await checks.check({ ...APP, accountId }, stopping.signal);
    };
    await Promise.all(Array.from({ length: 10 }, slot));
  };
  return { run, stopping, claims, given, intervals };
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `account-${index}`);

describe('AccountChecks', () => {
  it('check what is due and can be claimed, with the interval of the provider', async () => {
    const checked: string[] = [];
    const { run, claims, intervals } = checksOf(
      async (id) => void checked.push(id),
      (id) => (id === 'account-1' ? 'https://dav.example/' : null),
    );
    await run(['account-0', 'not due', 'account-1']);
    expect(checked).toEqual(['account-0', 'account-1']);
    expect(claims).toEqual([INTERVALS, INTERVALS, INTERVALS]);
    expect(intervals).toEqual([480_000, 240_000]);
  });

  it('go on after what one account came to, and log only what nobody expects', async () => {
    const outcomes: Record<string, unknown> = {
      'account-0': new DomainError('EndUserAccountExpired', 'found out'),
      'account-1': new DomainError('ProviderUnavailable', 'away', { provider: AWAY }),
      'account-2': new TypeError('ours'),
    };
    const checked: string[] = [];
    const { run } = checksOf(async (id) => {
      checked.push(id);
      if (id in outcomes) throw outcomes[id];
    });
    await run(['gone', ...ids(199)]);
    expect(checked).toHaveLength(199);
    expect(warnings.mock.calls.map(([line]) => (line as { accountId: string }).accountId).toSorted()).toEqual([
      'account-1',
      'account-2',
    ]);
  });

  it('F27 leave a provider alone that does not answer, until the next turn of its accounts', async () => {
    let checks = 0;
    const { run, claims } = checksOf(async () => {
      checks += 1;
      await new Promise(setImmediate);
      throw new DomainError('ProviderUnavailable', 'away', { provider: AWAY });
    });
    await run(ids(500));
    // 20, and those that were under way together with the last of them.
    expect(checks).toBeGreaterThanOrEqual(20);
    expect(checks).toBeLessThan(30);
    // Without an interval its accounts would be left alone for a day.
    expect(claims).toEqual(Array.from({ length: 500 }, () => INTERVALS));
    expect(errors).toHaveBeenCalledTimes(1);
  });

  it('F27 leave a server alone that does not answer, and no other one', async () => {
    const isDead = (id: string) => Number(id.split('-')[1]) % 2 === 0;
    const checked: string[] = [];
    const { run } = checksOf(
      async (id) => {
        checked.push(id);
        await new Promise(setImmediate);
        if (isDead(id)) throw new DomainError('ProviderTimeout', 'away', { provider: AWAY });
      },
      (id) => (isDead(id) ? 'https://dead.example/dav/' : `https://server-${id}.example/`),
    );
    await run(ids(500));
    expect(checked.filter((id) => !isDead(id))).toHaveLength(250);
    // Those that were under way together when it was noticed.
    expect(checked.filter(isDead).length).toBeLessThanOrEqual(12);
    expect(errors.mock.calls).toEqual([[expect.objectContaining({ place: 'https://dead.example' })]]);
  });

  it('do not take for an outage that we hold back ourselves', async () => {
    let checks = 0;
    const { run } = checksOf(async () => {
      checks += 1;
      throw new DomainError('ProviderUnavailable', 'not confirmed yet');
    });
    await run(ids(300));
    expect(checks).toBe(300);
  });

  it('give back what they cannot finish when the worker is stopped', async () => {
    const begun = Promise.withResolvers<void>();
    let running = 0;
    const { run, stopping, given } = checksOf(async (_, signal) => {
      if ((running += 1) === 10) begun.resolve();
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    });
    const running10 = run(ids(10));
    await begun.promise;
    stopping.abort();
    await running10;
    expect(new Set(given)).toEqual(new Set(ids(10)));
  });
});
