import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { CalendarLook } from '#domain';
import { openPersistence, type Persistence } from './persistence.js';
import { changed, newWatchedCalendar, openChannel, subscribe, takeLook } from './webhook-world.js';

/** Three processes on one database. */
let processes: Persistence[];
const some = (n: number) => processes[n % processes.length] as Persistence;

beforeAll(async () => {
  const first = await openPersistence();
  const others = [1, 2].map(() => openPersistence({ testDatabase: first.testDatabase }));
  processes = [first, ...(await Promise.all(others))];
});

afterAll(async () => {
  for (const one of processes.toReversed()) await one.close();
});

/** No look is due but those that a test makes. */
beforeEach(() => some(0).admin('delete from watched_calendar'));

const LOOK = { limit: 100, leaseMs: 60_000, coalesceMs: 2_000 };
const NOTHING = { syncToken: 'next', nextLookInMs: 600_000, compose: null };
const CHANGED = { ...NOTHING, compose: changed };

/** Seconds to the next look; how many hints there were. */
async function row(id: string): Promise<{ due_in: number; hints: number; sync_token: string | null }> {
  const [found] = await some(0).admin<{ due_in: number; hints: number; sync_token: string | null }>(
    'select extract(epoch from look_at - clock_timestamp())::float8 as due_in, hints::int, sync_token ' +
      'from watched_calendar where id = $1',
    [id],
  );
  return found as { due_in: number; hints: number; sync_token: string | null };
}

/** A calendar at rest: its first look is over. */
async function quietCalendar() {
  const world = await newWatchedCalendar(some(0));
  await some(0).watched.finishLook(await takeLook(some(0), world.watchedCalendarId), NOTHING);
  return world;
}

const messages = (calendarId: string) =>
  some(0).admin<{ id: string; endpoint_id: string; body: string }>(
    'select m.id, m.endpoint_id, m.body from webhook_message m join webhook_endpoint e on e.id = m.endpoint_id ' +
      'where e.watched_calendar_id = $1 order by m.created_at',
    [calendarId],
  );

describe('a watched calendar', () => {
  it('is there once, whoever watches it, and is looked at at once', async () => {
    const { application, account, calendarId, watchedCalendarId } = await newWatchedCalendar(some(0));
    const again = await Promise.all(
      Array.from({ length: 12 }, (_, n) => some(n).watched.watch(application, account.id, calendarId)),
    );
    expect(new Set(again.map((one) => one.watchedCalendarId))).toEqual(new Set([watchedCalendarId]));
    const long = await some(0).watched.watch(application, account.id, 'x'.repeat(10_000));
    expect(long.watchedCalendarId).not.toBe(watchedCalendarId);
    expect(await some(0).watched.claimLooks(LOOK)).toContainEqual({
      watchedCalendarId,
      leaseId: expect.any(String),
      hints: '0',
      applicationId: application.applicationId,
      accountId: account.id,
      calendarId,
      providerType: 'CALDAV',
      syncToken: null,
      failingForMs: null,
      cause: 'timer',
      isPushed: false,
      deaths: 0,
      traceparent: null,
    });
  });

  it.each(['x', '0197a000-0000-7000-8000-000000000000'])('needs an account, which %j is not', async (id) => {
    const application = await some(0).newApplication();
    await expect(some(0).watched.watch(application, id, 'c')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('goes with its account, and so do its subscriptions', async () => {
    const world = await newWatchedCalendar(some(0));
    const { id } = await subscribe(some(0), world);
    await some(0).accounts.delete(world.application, world.account.id);
    await expect(some(0).endpoints.get(world.application, id)).rejects.toMatchObject({ code: 'NotFound' });
    expect(await row(world.watchedCalendarId)).toBeUndefined();
  });
});

describe('hints', () => {
  it('W19 are counted, 1,000 of them at once, and make one look due within two seconds', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await quietCalendar()).watchedCalendarId);
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        // In an order of its own each: statements that meet must not wait in a circle.
        some(n).watched.hint(Array.from({ length: 25 }, (_, k) => ids[(n % 2 === 0 ? k : 24 - k) % 5] as string)),
      ),
    );
    for (const id of ids) {
      const { hints, due_in: dueIn } = await row(id);
      expect(hints).toBe(200);
      expect(dueIn).toBeLessThanOrEqual(2);
    }
    await some(0).admin("update watched_calendar set look_at = look_at - interval '2 seconds' where id = $1", [ids[0]]);
    const looks = await Promise.all([0, 1, 2, 3].map((n) => some(n).watched.claimLooks({ ...LOOK, limit: 1 })));
    expect(looks.flat().filter((look) => look.watchedCalendarId === ids[0])).toHaveLength(1);
  });

  it('do not move a look that is due earlier', async () => {
    const { watchedCalendarId } = await quietCalendar();
    await some(0).watched.hint([watchedCalendarId]);
    await some(0).admin("update watched_calendar set look_at = look_at - interval '1 second'");
    const before = (await row(watchedCalendarId)).due_in;
    await some(0).watched.hint([watchedCalendarId, 'x', '0197a000-0000-7000-8000-000000000000']);
    expect((await row(watchedCalendarId)).due_in).toBeLessThanOrEqual(before);
    await some(0).watched.hint([]);
    expect((await row(watchedCalendarId)).hints).toBe(2);
  });

  it('come by the name of a calendar, and for all of an account, its channels too', async () => {
    const { application, account, calendarId, watchedCalendarId } = await quietCalendar();
    expect(await some(0).watched.hintCalendar(application, account.id, calendarId)).toBe(true);
    expect(await some(0).watched.hintCalendar(application, account.id, 'not watched')).toBe(false);
    expect(await some(0).watched.hintCalendar(application, 'x', calendarId)).toBe(false);
    expect((await row(watchedCalendarId)).hints).toBe(1);
    expect(await some(0).watched.hintCalendar(application, account.id, 'primary')).toBe(true);
    await some(0).watched.hintAccount(application, account.id);
    await some(0).watched.hintAccount(application, 'x');
    expect((await row(watchedCalendarId)).hints).toBe(3);
    expect((await some(0).channels.claimUpkeep(LOOK)).map((one) => one.watchedCalendarId)).toContain(watchedCalendarId);
  });

  it('W19 that come during a look make another one due within two seconds; without any, the timer goes on', async () => {
    const { watchedCalendarId } = await quietCalendar();
    const look = await takeLook(some(0), watchedCalendarId);
    await some(1).watched.hint([watchedCalendarId]);
    expect((await row(watchedCalendarId)).due_in).toBeGreaterThan(2);
    await some(0).watched.finishLook(look, NOTHING);
    expect((await row(watchedCalendarId)).due_in).toBeLessThanOrEqual(2);
    await some(0).watched.finishLook(await takeLook(some(0), watchedCalendarId), NOTHING);
    expect((await row(watchedCalendarId)).due_in).toBeGreaterThan(500);
  });
});

describe('a look', () => {
  it('tells every subscription that wants the type, once, and moves the cursor on', async () => {
    const world = await newWatchedCalendar(some(0));
    const [a, b] = [await subscribe(some(0), world), await subscribe(some(0), world)];
    await subscribe(some(0), world, { eventTypes: ['calendar.event.unknown'] });
    await subscribe(some(0), { ...world, watchedCalendarId: (await quietCalendarOf(world)).watchedCalendarId });
    const look = await takeLook(some(0), world.watchedCalendarId);
    const made = await some(0).watched.finishLook(look, CHANGED);
    const stored = await messages(world.watchedCalendarId);
    expect(made).toEqual(stored.map(({ id, endpoint_id: endpointId }) => ({ id, endpointId })));
    const bodies = stored.map(({ body }) => JSON.parse(body).for as string);
    expect(bodies.sort()).toEqual([a.id, b.id].sort());
    expect((await row(world.watchedCalendarId)).sync_token).toBe('next');
    expect(await takeLook(some(0), world.watchedCalendarId)).toMatchObject({ syncToken: 'next' });
  });

  async function quietCalendarOf({ application, account }: Awaited<ReturnType<typeof quietCalendar>>) {
    return some(0).watched.watch(application, account.id, 'another');
  }

  it('says whether the application wants to be told whose calendar it is', async () => {
    const world = await newWatchedCalendar(some(0));
    await subscribe(some(0), world);
    const seen: boolean[] = [];
    for (const isEnriched of [true, false]) {
      await some(0).applications.update(world.application.applicationId, { enrichesWebhooks: isEnriched });
      await some(0).watched.finishLook(await takeLook(some(0), world.watchedCalendarId), {
        ...NOTHING,
        compose: (target) => {
          seen.push(target.isEnriched);
          return changed(target);
        },
      });
    }
    expect(seen).toEqual([true, false]);
  });

  it('that is the first one can be made before anybody is told, once, whoever asks', async () => {
    const { application, account } = await quietCalendar();
    const first = (id: string) => some(0).watched.claimFirstLook(application, id, 60_000);
    const { watchedCalendarId } = await some(0).watched.watch(application, account.id, 'fresh');
    const look = (await first(watchedCalendarId)) as CalendarLook;
    expect(look).toMatchObject({ watchedCalendarId, calendarId: 'fresh', accountId: account.id, syncToken: null });
    expect(await some(1).watched.claimFirstLook(application, watchedCalendarId, 60_000)).toBe('busy');
    expect((await row(watchedCalendarId)).due_in).toBeGreaterThan(50);
    expect(await some(0).watched.giveBackLook(look)).toBe(true);
    const again = (await first(watchedCalendarId)) as CalendarLook;
    await some(0).watched.finishLook(again, NOTHING);
    expect(await first(watchedCalendarId)).toBe('begun');
    for (const none of [randomUUID(), 'none']) await expect(first(none)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('F5 whose lease was lost writes nothing', async () => {
    const world = await quietCalendar();
    await subscribe(some(0), world);
    const late = await takeLook(some(0), world.watchedCalendarId);
    const next = await takeLook(some(1), world.watchedCalendarId);
    let composed = 0;
    const compose = (target: Parameters<typeof changed>[0]) => {
      composed += 1;
      return changed(target);
    };
    expect(await some(0).watched.finishLook(late, { ...NOTHING, syncToken: 'late', compose })).toBeNull();
    expect(await some(0).watched.finishLook(late, { ...NOTHING, syncToken: 'late' })).toBeNull();
    expect(await some(0).watched.extendLook(late, 1)).toBe(false);
    expect(await some(0).watched.putOffLook(late, 1)).toBe(false);
    expect([composed, await messages(world.watchedCalendarId)]).toEqual([0, []]);
    expect(await some(1).watched.finishLook(next, CHANGED)).toHaveLength(1);
    expect(await row(world.watchedCalendarId)).toMatchObject({ sync_token: 'next' });
  });

  it('whose messages cannot be made keeps its cursor', async () => {
    const world = await quietCalendar();
    await subscribe(some(0), world);
    const look = await takeLook(some(0), world.watchedCalendarId);
    const broken = () => {
      throw new Error('no message');
    };
    await expect(some(0).watched.finishLook(look, { ...NOTHING, syncToken: 'lost', compose: broken })).rejects.toThrow(
      'no message',
    );
    expect(await some(0).watched.finishLook(look, CHANGED)).toHaveLength(1);
  });

  it('can be made longer, and is due again when its process died', async () => {
    const { watchedCalendarId } = await quietCalendar();
    const look = await takeLook(some(0), watchedCalendarId);
    expect(await some(0).watched.extendLook(look, 3_600_000)).toBe(true);
    expect((await row(watchedCalendarId)).due_in).toBeGreaterThan(3_000);
    expect(await some(0).watched.extendLook(look, 0)).toBe(true);
    const [taken] = await some(1).watched.claimLooks(LOOK);
    expect(taken).toMatchObject({ watchedCalendarId });
    expect(taken?.leaseId).not.toBe(look.leaseId);
  });

  it('that failed is due later or at a hint, and it is known since when', async () => {
    const { watchedCalendarId } = await quietCalendar();
    expect(await some(0).watched.putOffLook(await takeLook(some(0), watchedCalendarId), 600_000)).toBe(true);
    expect((await row(watchedCalendarId)).due_in).toBeGreaterThan(500);
    await some(0).watched.hint([watchedCalendarId]);
    expect((await row(watchedCalendarId)).due_in).toBeLessThanOrEqual(2);
    const second = await takeLook(some(0), watchedCalendarId);
    expect(second).toMatchObject({ failingForMs: expect.any(Number), syncToken: 'next' });
    await some(0).watched.putOffLook(second, 600_000);
    const third: CalendarLook = await takeLook(some(0), watchedCalendarId);
    expect(third.failingForMs).toBeGreaterThan(second.failingForMs ?? Infinity);
    await some(0).watched.finishLook(third, NOTHING);
    expect((await takeLook(some(0), watchedCalendarId)).failingForMs).toBeNull();
  });

  it('is not made of an account that is not ACTIVE, and that does not keep others waiting', async () => {
    const expired = await newWatchedCalendar(some(0));
    await some(0).accounts.setStatus(expired.application, expired.account.id, 'EXPIRED', 'password_rejected');
    const { watchedCalendarId } = await newWatchedCalendar(some(0));
    const looks = await some(0).watched.claimLooks({ ...LOOK, limit: 1 });
    expect(looks.map((look) => look.watchedCalendarId)).toEqual([watchedCalendarId]);
    await some(0).accounts.setStatus(expired.application, expired.account.id, 'ACTIVE', 'reconnected');
    expect(await some(0).watched.claimLooks(LOOK)).toEqual([]);
    await some(0).watched.hintAccount(expired.application, expired.account.id);
    await some(0).admin("update watched_calendar set look_at = look_at - interval '2 seconds'");
    expect(await some(0).watched.claimLooks(LOOK)).toHaveLength(1);
  });

  it('is made by one of many processes, of each calendar', async () => {
    const calendars = await Promise.all(Array.from({ length: 30 }, () => newWatchedCalendar(some(0))));
    const looks = await Promise.all(
      Array.from({ length: 12 }, (_, n) => some(n).watched.claimLooks({ ...LOOK, limit: 5 })),
    );
    const found = looks.flat().map((look) => look.watchedCalendarId);
    expect(new Set(found).size).toBe(found.length);
    found.push(...(await some(0).watched.claimLooks(LOOK)).map((look) => look.watchedCalendarId));
    expect(found.sort()).toEqual(calendars.map(({ watchedCalendarId }) => watchedCalendarId).sort());
  });

  it('knows whether a live channel tells of changes', async () => {
    const { application, watchedCalendarId } = await quietCalendar();
    const pushed = async () => {
      const look = await takeLook(some(0), watchedCalendarId);
      await some(0).watched.finishLook(look, NOTHING);
      return look.isPushed;
    };
    const { upkeep, channelId } = await openChannel(some(0), application, watchedCalendarId);
    expect(await pushed()).toBe(false);
    const live = (inMs: number) => {
      const expiresAt = new Date(Date.now() + inMs);
      const facts = { subscriptionId: 's', resourceId: null, expiresAt, renewAt: expiresAt };
      return some(0).channels.live(upkeep, channelId, facts);
    };
    await live(3_600_000);
    expect(await pushed()).toBe(true);
    await live(-1_000);
    expect(await pushed()).toBe(false);
  });

  it('F7 counts the processes that it cost in a row', async () => {
    const { watchedCalendarId } = await quietCalendar();
    const deaths: number[] = [];
    for (let count = 0; count < 4; count += 1) deaths.push((await takeLook(some(count), watchedCalendarId)).deaths);
    expect(deaths).toEqual([0, 1, 2, 3]);
    await some(0).watched.finishLook(await takeLook(some(0), watchedCalendarId), NOTHING);
    expect((await takeLook(some(0), watchedCalendarId)).deaths).toBe(0);
  });

  it('F2 that is given back is due at once, and no failure', async () => {
    const { watchedCalendarId } = await quietCalendar();
    const look = await takeLook(some(0), watchedCalendarId);
    expect(await some(0).watched.giveBackLook(look)).toBe(true);
    expect(await some(0).watched.giveBackLook(look)).toBe(false);
    const [again] = await some(1).watched.claimLooks(LOOK);
    expect(again).toMatchObject({ watchedCalendarId, failingForMs: null, deaths: 0 });
  });

  it('knows what made it due, until one has not failed', async () => {
    const { application, account, calendarId, watchedCalendarId } = await quietCalendar();
    const cause = async (end: 'finish' | 'put off') => {
      const look = await takeLook(some(0), watchedCalendarId);
      if (end === 'finish') await some(0).watched.finishLook(look, NOTHING);
      else await some(0).watched.putOffLook(look, 0);
      return look.cause;
    };
    expect(await cause('finish')).toBe('timer');
    await some(0).watched.hintCalendar(application, account.id, calendarId);
    expect(await cause('put off')).toBe('hint');
    expect(await cause('finish')).toBe('hint');
    expect(await cause('finish')).toBe('timer');
    await some(0).watched.hint([watchedCalendarId, watchedCalendarId]);
    await some(0).watched.hintAccount(application, account.id);
    expect(await cause('put off')).toBe('push');
    expect(await cause('finish')).toBe('push');
    expect(await cause('finish')).toBe('timer');
    await some(0).watched.lookAnew(watchedCalendarId);
    expect((await row(watchedCalendarId)).due_in).toBeLessThanOrEqual(2);
    expect(await cause('finish')).toBe('timer');
    await some(0).watched.hint([watchedCalendarId]);
    await some(0).watched.lookAnew(watchedCalendarId);
    expect(await cause('finish')).toBe('push');
    const unseen = await takeLook(some(0), watchedCalendarId);
    await some(0).watched.lookAnew(watchedCalendarId);
    await some(0).watched.lookAnew('x');
    await some(0).watched.finishLook(unseen, NOTHING);
    expect((await row(watchedCalendarId)).due_in).toBeLessThanOrEqual(2);
    expect(await cause('finish')).toBe('timer');
    const under = await takeLook(some(0), watchedCalendarId);
    await some(0).watched.hint([watchedCalendarId]);
    await some(0).watched.finishLook(under, NOTHING);
    expect(await cause('finish')).toBe('push');
  });

  it('begins at once after a calm, and two seconds after the one before it began, unless told otherwise', async () => {
    const { watchedCalendarId } = await quietCalendar();
    await some(0).watched.hint([watchedCalendarId]);
    expect((await row(watchedCalendarId)).due_in).toBeGreaterThan(0);
    await some(0).admin(
      "update watched_calendar set look_at = look_at + interval '1 hour', calm_at = clock_timestamp()",
    );
    await some(0).watched.hint([watchedCalendarId]);
    const [look] = await some(0).watched.claimLooks({ ...LOOK, coalesceMs: 0 });
    expect(look).toMatchObject({ watchedCalendarId });
    await some(0).watched.finishLook(look as CalendarLook, NOTHING);
    await some(0).watched.hint([watchedCalendarId]);
    expect(await some(0).watched.claimLooks(LOOK)).toHaveLength(1);
  });

  it('is due at once when it is asked for, although times are kept in milliseconds', async () => {
    const { watchedCalendarId } = await quietCalendar();
    await some(0).admin(
      "update watched_calendar set look_at = look_at + interval '1 hour', calm_at = clock_timestamp()",
    );
    for (let turn = 0; turn < 60; turn += 1) {
      await some(0).watched.hint([watchedCalendarId]);
      const [look] = await some(0).watched.claimLooks({ ...LOOK, coalesceMs: 0 });
      expect(look).toMatchObject({ watchedCalendarId });
      await some(0).watched.finishLook(look as CalendarLook, NOTHING);
    }
  });

  it('is made of four calendars of an account at a time, and of those of others', async () => {
    const { application, account } = await newWatchedCalendar(some(0));
    for (let count = 0; count < 9; count += 1) await some(0).watched.watch(application, account.id, `crowded ${count}`);
    const other = await newWatchedCalendar(some(0));
    const looks: CalendarLook[] = [];
    for (let n = 0; n < 6; n += 1) looks.push(...(await some(n).watched.claimLooks({ ...LOOK, limit: 2 })));
    expect(looks.filter(({ accountId }) => accountId === account.id)).toHaveLength(4);
    expect(looks.map((look) => look.watchedCalendarId)).toContain(other.watchedCalendarId);
    await some(0).watched.finishLook(looks[0] as CalendarLook, NOTHING);
    await some(0).admin(
      "update watched_calendar set look_at = look_at - interval '1 second' where look_lease_id is null",
    );
    expect(await some(0).watched.claimLooks(LOOK)).toHaveLength(1);
  });
});
