import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { BucketedRange, OperatorDeliveryQueries } from '#domain/operator';
import type { CalendarProviders } from '#domain/providers';
import type { OverviewStats, QueueMonitor } from '#domain/system';
import { OverviewService } from './overview.service.js';

const NOW_MS = Date.parse('2026-11-21T09:30:17.500Z');
const QUEUE = { name: 'webhook-deliveries', waiting: 1, active: 2, delayed: 3, failed: 4 };

const stats = {
  accounts: async () => [{ providerType: 'GOOGLE', status: 'ACTIVE', count: 3 }],
  requests: async ({ to }: BucketedRange) =>
    to.getTime() > NOW_MS ? [{ index: 9, successes: 7, clientErrors: 2, serverErrors: 1, p50Ms: 10, p95Ms: 20 }] : [],
  backlog: async () => ({ lagSeconds: 12.7, pending: 5, failedLastDay: 6 }),
  // Twenty requests that went well fifty minutes ago and earlier, and ten that failed in the last ten minutes.
  providers: async ({ from, to }: BucketedRange) => {
    const google = { index: 0, providerType: 'GOOGLE' };
    if (to.getTime() > NOW_MS) return [{ ...google, requests: 10, failures: 10, lastFailureAt: new Date(NOW_MS) }];
    const isFirst = from.getTime() < NOW_MS - 3_500_000;
    return isFirst ? [{ ...google, requests: 20, failures: 1, lastFailureAt: from }] : [];
  },
  providersWithTrippedBreaker: async () => ['MICROSOFT'],
};
const queries = {
  attempts: async (_: unknown, { from }: BucketedRange) =>
    from.getTime() < NOW_MS - 3_500_000 ? [{ index: 0, delivered: 3, failed: 1, p50Ms: 5, p95Ms: 9 }] : [],
};
const board = { depths: async () => [QUEUE] };

function overviewOf(given: { stats?: object; queries?: object; board?: object } = {}, deadlineMs = 60_000) {
  return new OverviewService(
    { ...stats, ...given.stats } as unknown as OverviewStats,
    { ...queries, ...given.queries } as unknown as OperatorDeliveryQueries,
    { ...board, ...given.board } as unknown as QueueMonitor,
    { nowMs: () => NOW_MS },
    providers,
    { deadlineMs },
  );
}

const TYPES = ['GOOGLE', 'MICROSOFT', 'APPLE', 'CALDAV'];
const providers = { all: () => TYPES.map((type) => ({ type })) } as unknown as CalendarProviders;

const away = async () => {
  throw new Error('away');
};
const never = () => new Promise<never>(() => undefined);

beforeEach(() => void jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined));
afterEach(() => void jest.restoreAllMocks());

describe('the overview', () => {
  it('tells everything at once', async () => {
    const overview = await overviewOf().read();
    expect(overview).toMatchObject({
      at: new Date('2026-11-21T09:30:17.500Z'),
      accounts: [{ providerType: 'GOOGLE', status: 'ACTIVE', count: 3 }],
      deliveries: { bucketSeconds: 60, lagSeconds: 12, pending: 5, failedLastDay: 6 },
      queues: [QUEUE],
    });
    expect(overview.requests?.buckets).toHaveLength(60);
    expect(overview.requests?.buckets.at(-1)).toEqual({
      ...{
        at: new Date('2026-11-21T09:30:00.000Z'),
        successes: 7,
        clientErrors: 2,
        serverErrors: 1,
        p50Ms: 10,
        p95Ms: 20,
      },
    });
    expect(overview.deliveries?.buckets).toHaveLength(60);
    expect(overview.deliveries?.buckets[0]).toMatchObject({
      at: new Date('2026-11-21T08:31:00.000Z'),
      delivered: 3,
      failed: 1,
    });
  });

  it('names every provider, asked or not', async () => {
    const { providers } = await overviewOf().read();
    expect(providers?.map(({ providerType }) => providerType)).toEqual(TYPES);
    expect(providers?.map(({ state }) => state)).toEqual(['down', 'troubled', 'unknown', 'unknown']);
    expect(providers?.[0]).toMatchObject({
      requests: 30,
      failures: 11,
      lastFailureAt: new Date('2026-11-21T09:30:17.500Z'),
    });
    expect(providers?.[1]).toMatchObject({ requests: 0, failures: 0, lastFailureAt: null });
  });

  it.each([
    ['accounts', { stats: { accounts: away } }],
    ['requests', { stats: { requests: away } }],
    ['deliveries', { stats: { backlog: away } }],
    ['deliveries', { queries: { attempts: away } }],
    ['providers', { stats: { providersWithTrippedBreaker: away } }],
    ['queues', { board: { depths: away } }],
  ])('leaves out %s alone when that is what is away', async (part, broken) => {
    const { at: _, ...parts } = await overviewOf(broken).read();
    const missing = Object.entries(parts).flatMap(([name, value]) => (value === null ? [name] : []));
    expect(missing).toEqual([part]);
  });

  it('F13 does not wait for a part that does not answer', async () => {
    const { queues, accounts } = await overviewOf({ board: { depths: never } }, 20).read();
    expect([queues, accounts?.length]).toEqual([null, 1]);
  });
});
