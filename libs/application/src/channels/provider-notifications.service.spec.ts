import { jest } from '@jest/globals';
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { ProviderChannelRepository, type ChannelToken, type ChannelNotification } from '#domain/channels';
import { SyncedCalendarRepository } from '#domain/sync';
import { SyncRequests } from '../sync/sync-requests.js';
import { ChannelTokenCache, ProviderNotifications, NotificationsNotStored } from './provider-notifications.service.js';

const newKey = (): ChannelToken => ({
  channelId: randomUUIDv7(),
  syncedCalendarId: randomUUIDv7(),
  token: randomBytes(32).toString('base64url'),
});
const mine = newKey();
const other = newKey();

const push = ({ channelId, token }: ChannelToken, over: Partial<ChannelNotification> = {}): ChannelNotification => ({
  channelId,
  token,
  kind: 'change',
  ...over,
});

function fixture() {
  /** What was written, in order. */
  const writes: unknown[][] = [];
  const requestSync = jest.fn(async (ids: string[]): Promise<void> => void writes.push(['hint', ...ids]));
  const wake = jest.fn();
  const keys = jest.fn(async (ids: string[]) => [mine, other].filter(({ channelId }) => ids.includes(channelId)));
  const channels = {
    keys,
    lost: async (id: string) => writes.push(['lost', id]) > 0,
    renewSoon: async (id: string) => writes.push(['renewSoon', id]) > 0,
  } as unknown as ProviderChannelRepository;
  const syncRequests = new SyncRequests({ requestSync } as unknown as SyncedCalendarRepository, { wake });
  return {
    writes,
    requestSync,
    wake,
    keys,
    notifications: new ProviderNotifications(new ChannelTokenCache(channels), channels, syncRequests),
  };
}

describe('a genuine push', () => {
  const requested = ['hint', mine.syncedCalendarId];

  it.each<[ChannelNotification['kind'], unknown[][]]>([
    ['sync', []],
    ['change', [requested]],
    ['missed', [requested]],
    ['reauthorize', [['renewSoon', mine.channelId]]],
    ['removed', [['lost', mine.channelId], requested]],
    ['gone', [['lost', mine.channelId], requested]],
  ])('F32 of the kind %s is written down before the answer', async (kind, expected) => {
    const { notifications, writes, wake } = fixture();
    expect(await notifications.take([push(mine, { kind })])).toEqual({ invalid: 0 });
    expect(writes).toEqual(expected);
    expect(wake).toHaveBeenCalledTimes(expected.includes(requested) ? 1 : 0);
  });

  it('makes its channel known, so that it can be judged without a statement', async () => {
    const { notifications, keys } = fixture();
    for (let n = 0; n < 3; n += 1) await notifications.take([push(mine)]);
    expect(keys).toHaveBeenCalledTimes(1);
  });

  it('F32 counts once in a message, however often it is in it, and leads others to what is theirs', async () => {
    const { notifications, writes } = fixture();
    const kinds = ['removed', 'change', 'reauthorize', 'removed', 'missed', 'reauthorize'] as const;
    await notifications.take([...kinds.map((kind) => push(mine, { kind })), push(other), push(other)]);
    expect(writes).toEqual([
      ['lost', mine.channelId],
      ['renewSoon', mine.channelId],
      ['hint', mine.syncedCalendarId, other.syncedCalendarId],
    ]);
  });

  it('N47 W19 costs no statement of its own when a thousand come at once', async () => {
    const { notifications, writes } = fixture();
    await notifications.take([push(mine)]);
    await Promise.all(Array.from({ length: 1_000 }, () => notifications.take([push(mine)])));
    expect(writes).toEqual([requested, requested, requested]);
  });

  it('W19 that comes while a sync request is under way is requested again', async () => {
    const { notifications, requestSync } = fixture();
    const underWay = Promise.withResolvers<void>();
    requestSync.mockReturnValueOnce(underWay.promise);
    const first = notifications.take([push(mine)]);
    let isReply = false;
    const last = notifications.take([push(mine)]).then(() => (isReply = true));
    underWay.resolve();
    await first;
    expect(isReply).toBe(false);
    await last;
    expect(requestSync).toHaveBeenCalledTimes(2);
  });
});

describe('N44 N45 a push that is not genuine', () => {
  const wrong = randomBytes(32).toString('base64url');

  it.each<[string, ChannelNotification]>([
    ['an unknown channel', push(newKey())],
    ['another token', push(mine, { token: wrong })],
    ['the token of another channel', push(mine, { token: other.token })],
    ['a part of the token', push(mine, { token: mine.token.slice(0, -1) })],
    ['no token', push(mine, { token: '' })],
    ['a token of another length in UTF-8', push(mine, { token: `${mine.token.slice(0, -1)}ü` })],
    ['a removal', push(mine, { token: wrong, kind: 'removed' })],
    ['a demand to renew', push(mine, { token: wrong, kind: 'reauthorize' })],
    ['a greeting', push(mine, { token: wrong, kind: 'sync' })],
  ])('is told, and neither written nor waited for by anybody: %s', async (_, invalid) => {
    const { notifications, writes, wake } = fixture();
    expect(await notifications.take([invalid])).toEqual({ invalid: 1 });
    expect([writes, wake.mock.calls]).toEqual([[], []]);
  });

  it('does not touch those that came with it', async () => {
    const { notifications, writes } = fixture();
    expect(await notifications.take([push(newKey()), push(mine), push(other, { token: wrong })])).toEqual({
      invalid: 2,
    });
    expect(writes).toEqual([['hint', mine.syncedCalendarId]]);
  });
});

describe('a push that cannot be written down', () => {
  afterEach(() => jest.useRealTimers());

  it('F16 fails as the database does, so that its provider repeats it, and the next one is taken', async () => {
    const { notifications, requestSync } = fixture();
    requestSync.mockRejectedValueOnce(new Error('the database is away'));
    await expect(notifications.take([push(mine)])).rejects.toThrow('the database is away');
    expect(await notifications.take([push(mine)])).toEqual({ invalid: 0 });
  });

  it('is given back before its provider takes us for slow', async () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    const { notifications, requestSync } = fixture();
    requestSync.mockReturnValueOnce(new Promise(() => undefined));
    const outcome = expect(notifications.take([push(mine)])).rejects.toThrow(NotificationsNotStored);
    await jest.advanceTimersByTimeAsync(2_499);
    expect(jest.getTimerCount()).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    await outcome;
  });

  it('N46 is given back when more come from doubted sources than are got through, and others are taken', async () => {
    const { notifications, keys } = fixture();
    const flood = Array.from({ length: 3_000 }, () => notifications.take([push(newKey())], true));
    expect(await notifications.take([push(mine)])).toEqual({ invalid: 0 });
    // Its channel is in memory now: no flood is in its way.
    expect(await notifications.take([push(mine)], true)).toEqual({ invalid: 0 });
    const rejected = (await Promise.allSettled(flood)).filter((one) => one.status === 'rejected');
    expect(rejected).toHaveLength(3_000 - 501);
    expect(rejected[0]?.reason).toBeInstanceOf(NotificationsNotStored);
    expect(keys).toHaveBeenCalledTimes(3);
  });

  it('N46 is given back when more come than are got through', async () => {
    const { notifications } = fixture();
    const flood = await Promise.allSettled(Array.from({ length: 3_000 }, () => notifications.take([push(newKey())])));
    const rejected = flood.filter((one) => one.status === 'rejected');
    expect(rejected).toHaveLength(999);
    expect(rejected[0]?.reason).toBeInstanceOf(NotificationsNotStored);
  });
});
