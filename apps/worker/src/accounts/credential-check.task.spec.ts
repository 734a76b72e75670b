import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { AccountAccess, CredentialCheck } from '#application/accounts';
import type { CredentialCheckRepository, DueCredentialCheck, EndUserAccount, ProviderType } from '#domain/accounts';
import type { CalendarProviders } from '#domain/providers';
import { DomainError } from '#domain/system';
import { CredentialCheckTask } from './credential-check.task.js';

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

/** A sweep over these accounts, once; `check` stands for the provider. `serverOf`: of CALDAV accounts. */
function taskOf(
  ids: string[],
  check: (id: string, signal: AbortSignal) => Promise<void>,
  serverOf: (id: string) => string | null = () => null,
) {
  const claims: Partial<Record<ProviderType, number>>[] = [];
  const given: string[] = [];
  const intervals: number[] = [];
  const waiting = [...ids];
  const emptied = Promise.withResolvers<void>();
  const health = {
    async claimDue({ limit, intervalMs }: { limit: number; intervalMs: Partial<Record<ProviderType, number>> }) {
      claims.push(intervalMs);
      const due = waiting.splice(0, limit);
      if (due.length === 0) emptied.resolve();
      return due.map((accountId): DueCredentialCheck => ({ ...APP, accountId }));
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
  const checkDue = new CredentialCheckTask(
    health as unknown as CredentialCheckRepository,
    access as unknown as AccountAccess,
    credentials as unknown as CredentialCheck,
    { all: () => PROVIDERS } as unknown as CalendarProviders,
    { expiryProbeInterval: INTERVAL_MS / 1_000 },
  );
  return { checkDue, claims, given, intervals, emptied: emptied.promise };
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `account-${index}`);

describe('CredentialCheckTask', () => {
  it('checks all that is due, batch after batch, ten at a time', async () => {
    let running = 0;
    let most = 0;
    const checked: string[] = [];
    const { checkDue, claims, intervals, emptied } = taskOf(ids(300), async (id) => {
      most = Math.max(most, (running += 1));
      await new Promise(setImmediate);
      running -= 1;
      checked.push(id);
    });
    checkDue.onApplicationBootstrap();
    await emptied.catch(() => undefined);
    await checkDue.stop();
    expect(new Set(checked).size).toBe(300);
    expect(most).toBe(10);
    expect(claims[0]).toEqual(INTERVALS);
    expect(new Set(intervals)).toEqual(new Set([480_000]));
  });

  it('goes on after what one account came to, and logs only what nobody expects', async () => {
    const outcomes: Record<string, unknown> = {
      'account-0': new DomainError('EndUserAccountExpired', 'found out'),
      'account-1': new DomainError('ProviderUnavailable', 'away', { provider: AWAY }),
      'account-2': new TypeError('ours'),
    };
    const checked: string[] = [];
    const { checkDue, emptied } = taskOf(['gone', ...ids(199)], async (id) => {
      checked.push(id);
      if (id in outcomes) throw outcomes[id];
    });
    checkDue.onApplicationBootstrap();
    await emptied;
    await checkDue.stop();
    expect(checked).toHaveLength(199);
    expect(warnings.mock.calls.map(([line]) => (line as { accountId: string }).accountId).toSorted()).toEqual([
      'account-1',
      'account-2',
    ]);
  });

  it('F27 leaves a provider alone that does not answer, until the next turn of its accounts', async () => {
    let checks = 0;
    const { checkDue, claims, emptied } = taskOf(ids(500), async () => {
      checks += 1;
      await new Promise(setImmediate);
      throw new DomainError('ProviderUnavailable', 'away', { provider: AWAY });
    });
    checkDue.onApplicationBootstrap();
    await emptied;
    await checkDue.stop();
    // 20, and those that were under way together with the last of them.
    expect(checks).toBeGreaterThanOrEqual(20);
    expect(checks).toBeLessThan(30);
    // Without an interval its accounts would be left alone for a day.
    expect(claims).toEqual(Array.from({ length: 6 }, () => INTERVALS));
    expect(errors).toHaveBeenCalledTimes(1);
  });

  it('F27 leaves a server alone that does not answer, and no other one', async () => {
    const isDead = (id: string) => Number(id.split('-')[1]) % 2 === 0;
    const checked: string[] = [];
    const { checkDue, claims, emptied } = taskOf(
      ids(500),
      async (id) => {
        checked.push(id);
        await new Promise(setImmediate);
        if (isDead(id)) throw new DomainError('ProviderTimeout', 'away', { provider: AWAY });
      },
      (id) => (isDead(id) ? 'https://dead.example/dav/' : `https://server-${id}.example/`),
    );
    checkDue.onApplicationBootstrap();
    await emptied;
    await checkDue.stop();
    expect(checked.filter((id) => !isDead(id))).toHaveLength(250);
    // Those that were under way together when it was noticed.
    expect(checked.filter(isDead).length).toBeLessThanOrEqual(12);
    expect(claims.at(-1)).toEqual(claims[0]);
    expect(errors.mock.calls).toEqual([[expect.objectContaining({ place: 'https://dead.example' })]]);
  });

  it('does not take for an outage that we hold back ourselves', async () => {
    let checks = 0;
    const { checkDue, emptied } = taskOf(ids(300), async () => {
      checks += 1;
      throw new DomainError('ProviderUnavailable', 'not confirmed yet');
    });
    checkDue.onApplicationBootstrap();
    await emptied;
    await checkDue.stop();
    expect(checks).toBe(300);
  });

  it('gives back what it cannot finish when it is stopped', async () => {
    const begun = Promise.withResolvers<void>();
    let running = 0;
    const { checkDue, given } = taskOf(ids(50), async (_, signal) => {
      if ((running += 1) === 10) begun.resolve();
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    });
    checkDue.onApplicationBootstrap();
    await begun.promise;
    await checkDue.stop();
    expect(running).toBe(10);
    expect(new Set(given)).toEqual(new Set(ids(50)));
  });
});
