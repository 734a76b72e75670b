import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exposition } from '#platform/telemetry';
import { openPersistence, type Persistence } from './persistence.js';
import { changed, claim, delivered, failed, newWatchedCalendar, record, subscribe } from './webhook-world.js';

let persistence: Persistence;

beforeAll(async () => {
  persistence = await openPersistence();
});
afterAll(() => persistence.close());

/** How often the lag was measured, and the sum of it in seconds. */
async function measured(): Promise<{ count: number; seconds: number }> {
  const { body } = await exposition(undefined);
  const of = (name: string) =>
    Number(new RegExp(`^calendar_change_lag_seconds_${name}{.*} (\\S+)$`, 'm').exec(body)?.[1] ?? 0);
  return { count: of('count'), seconds: of('sum') };
}

const lookSoon = async () => {
  await persistence.admin('update watched_calendar set look_at = clock_timestamp()');
  return (await persistence.watched.claimLooks({ limit: 1, leaseMs: 60_000, coalesceMs: 0 }))[0]!;
};

/** @returns id of the message */
async function tell(look: Awaited<ReturnType<typeof lookSoon>>): Promise<string> {
  const result = { syncToken: 'next', nextLookInMs: 600_000, compose: changed };
  return (await persistence.watched.finishLook(look, result))![0]!.id;
}

describe('the lag of a change', () => {
  it('runs from its first hint, through looks that fail, to the first attempt, and is measured by no other', async () => {
    const world = await newWatchedCalendar(persistence);
    await subscribe(persistence, world);
    await persistence.watched.hint([world.watchedCalendarId]);
    await persistence.admin("update watched_calendar set hinted_at = hinted_at - interval '100 s'");
    await persistence.watched.hint([world.watchedCalendarId]);
    await persistence.watched.putOffLook(await lookSoon(), 0);
    const first = await tell(await lookSoon());
    expect(await measured()).toEqual({ count: 0, seconds: 0 });
    await record(persistence, await claim(persistence, first), delivered);
    const after = await measured();
    expect(after.count).toBe(1);
    expect(Math.floor(after.seconds / 10)).toBe(10);

    await persistence.watched.hint([world.watchedCalendarId]);
    const second = await tell(await lookSoon());
    await record(persistence, await claim(persistence, second), failed());
    await record(persistence, await claim(persistence, second), delivered);
    expect((await measured()).count).toBe(1);
  });

  it('runs from the hint that came during a look', async () => {
    const { watchedCalendarId } = await newWatchedCalendar(persistence);
    await persistence.admin('delete from watched_calendar where id <> $1', [watchedCalendarId]);
    const look = await lookSoon();
    await persistence.watched.hint([watchedCalendarId]);
    await persistence.admin("update watched_calendar set hinted_at = hinted_at - interval '50 s'");
    await persistence.watched.finishLook(look, { syncToken: 'a', nextLookInMs: 600_000, compose: null });
    await lookSoon();
    const [row] = await persistence.admin<{ seconds: number; hinted_at: Date | null }>(
      'select extract(epoch from clock_timestamp() - noticed_at)::float8 as seconds, hinted_at from watched_calendar',
    );
    expect(Math.floor((row?.seconds ?? 0) / 10)).toBe(5);
    expect(row?.hinted_at).toBeNull();
  });
});
