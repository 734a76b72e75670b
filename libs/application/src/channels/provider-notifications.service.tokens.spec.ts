import { jest } from '@jest/globals';
import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { ProviderChannelRepository, type ChannelToken } from '#domain/channels';
import { BatchFull } from '../system/batcher.js';
import { ChannelTokenCache } from './provider-notifications.service.js';

const keyOf = (channelId: string): ChannelToken => ({ channelId, syncedCalendarId: randomUUID(), token: randomUUID() });

function fixture(...there: ChannelToken[]) {
  const keys = jest.fn(async (ids: string[]) => there.filter(({ channelId }) => ids.includes(channelId)));
  return { keys, memory: new ChannelTokenCache({ keys } as unknown as ProviderChannelRepository) };
}

describe('ChannelTokenCache', () => {
  it('looks a channel up once', async () => {
    const mine = keyOf(randomUUIDv7());
    const { keys, memory } = fixture(mine);
    for (let n = 0; n < 3; n += 1) expect([...(await memory.find([mine.channelId])).values()]).toEqual([mine]);
    expect(keys.mock.calls).toEqual([[[mine.channelId]]]);
  });

  it('N44 looks a channel up once that there is not', async () => {
    const { keys, memory } = fixture();
    const id = randomUUIDv7();
    for (let n = 0; n < 3; n += 1) expect((await memory.find([id])).size).toBe(0);
    expect(keys).toHaveBeenCalledTimes(1);
  });

  it('finds some of many, each once', async () => {
    const [one, two] = [keyOf(randomUUIDv7()), keyOf(randomUUIDv7())];
    const { keys, memory } = fixture(one, two);
    await memory.find([one.channelId]);
    const missing = randomUUIDv7();
    const found = await memory.find([missing, two.channelId, one.channelId, two.channelId]);
    expect([...found.keys()].sort()).toEqual([one.channelId, two.channelId].sort());
    expect(keys.mock.calls[1]).toEqual([[missing, two.channelId]]);
  });

  it('finds a channel that was made after another one was missing', async () => {
    const there: ChannelToken[] = [];
    const keys = async (ids: string[]) => there.filter(({ channelId }) => ids.includes(channelId));
    const memory = new ChannelTokenCache({ keys } as unknown as ProviderChannelRepository);
    expect((await memory.find([randomUUIDv7()])).size).toBe(0);
    there.push(keyOf(randomUUIDv7()));
    expect((await memory.find([there[0]!.channelId])).size).toBe(1);
  });

  it('N46 asks for a flood of ids with two statements, and lets no more wait than one takes', async () => {
    const { keys, memory } = fixture();
    const asked = await Promise.allSettled(Array.from({ length: 10_000 }, () => memory.find([randomUUIDv7()])));
    expect(keys).toHaveBeenCalledTimes(2);
    const rejected = asked.filter(({ status }) => status === 'rejected');
    expect(rejected).toHaveLength(10_000 - 2_001);
    expect(rejected[0]).toMatchObject({ reason: expect.any(BatchFull) });
  });

  it('knows nothing of a look-up that failed, and looks again', async () => {
    const mine = keyOf(randomUUIDv7());
    const { keys, memory } = fixture(mine);
    keys.mockRejectedValueOnce(new Error('away'));
    await expect(memory.find([mine.channelId])).rejects.toThrow('away');
    expect((await memory.find([mine.channelId])).size).toBe(1);
  });
});
