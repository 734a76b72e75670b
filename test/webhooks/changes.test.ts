// 80 s: all of it on PostgreSQL and on Redis; workers are killed, and what they held is free when its lease ends.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { OAUTH_PROVIDERS } from '../support/oauth-subject.js';
import { eventually } from '../support/processes.js';
import { startRedis, type RedisServer } from '../support/redis.js';
import { startWebhookSystem, type Subscribed, type WebhookSystem } from '../support/webhook-system.js';

describe.each(['PostgreSQL', 'Redis'])('changes reach an application, with queues on %s', (backend) => {
  let system: WebhookSystem;
  let redis: RedisServer | undefined;

  beforeAll(async () => {
    if (backend === 'Redis') redis = await startRedis();
    system = await startWebhookSystem(redis === undefined ? {} : { REDIS_URL: redis.url });
    await system.startWorker();
  });

  afterAll(async () => {
    await system.fixture.calm();
    await system.stop();
    await redis?.stop();
  });

  const read = async ({ accountId, calendarId }: Subscribed, syncToken?: string) => {
    const { status, body } = await system.fixture.service.call(
      'GET',
      `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`,
      { query: syncToken === undefined ? WINDOW : { syncToken } },
    );
    expect(status).toBe(200);
    return body as { data: { title: string }[]; nextSyncToken: string };
  };

  it.each(OAUTH_PROVIDERS)(
    'what somebody changes at %s is told, signed, and read by the sync token',
    async (providerType) => {
      const subscribed = await system.subscribe(providerType);
      const { nextSyncToken } = await read(subscribed);
      await system.change(subscribed, 'Lunch');
      const [receipt] = await system.receiver.receives(1, subscribed.path);
      const { headers, body } = receipt!;
      expect(JSON.parse(body.toString('utf8'))).toEqual({
        eventType: 'calendar.event.changed',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'x-webhook-subscription-id': subscribed.subscriptionId,
        'x-end-user-account-id': subscribed.accountId,
        'x-calendar-id': subscribed.calendarId,
      });
      for (const Webhook of [StandardWebhook, SvixWebhook]) {
        expect(() => new Webhook(subscribed.secret).verify(body.toString('utf8'), headers)).not.toThrow();
        expect(() => new Webhook(subscribed.secret).verify(`${body.toString('utf8')} `, headers)).toThrow();
      }
      expect((await read(subscribed, nextSyncToken)).data.map(({ title }) => title)).toEqual(['Lunch']);
    },
    60_000,
  );

  it.each(OAUTH_PROVIDERS)(
    'what the application itself writes to %s is told once, although the provider tells it, too',
    async (providerType) => {
      const subscribed = await system.subscribe(providerType);
      await system.change(subscribed, 'Before');
      await system.receiver.receives(1, subscribed.path);
      const { accountId, calendarId, path } = subscribed;
      const { status } = await system.fixture.service.call(
        'POST',
        `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`,
        {
          body: {
            title: 'Own',
            start: { dateTime: '2026-12-02T10:00:00', timeZone: 'UTC' },
            end: { dateTime: '2026-12-02T11:00:00', timeZone: 'UTC' },
          },
        },
      );
      expect(status).toBeLessThan(300);
      await system.receiver.receives(2, path);
      // Long enough for what ought not to happen to happen.
      await sleep(3_000);
      expect(system.receiver.at(path)).toHaveLength(2);
    },
    60_000,
  );

  it('W13 nothing is told any more once a subscription is deleted, and its channel ends', async () => {
    const subscribed = await system.subscribe('GOOGLE');
    const others = await system.subscribe('GOOGLE');
    const { status, body } = await system.fixture.service.call(
      'DELETE',
      `/v1/calendarSubscriptions/${subscribed.accountId}`,
      { body: { subscriptionId: subscribed.subscriptionId } },
    );
    expect([status, body]).toEqual([200, { success: true }]);
    await eventually('the channel is stopped', async () => {
      const channels = await system.fixture.sandbox.channels();
      return channels.some(({ email }) => email === subscribed.email) ? undefined : true;
    });
    await system.change(subscribed, 'Unheard');
    await system.change(others, 'Heard');
    await system.receiver.receives(1, others.path);
    expect(system.receiver.at(subscribed.path)).toEqual([]);
  });

  it('W20 everything that was to be told arrives, although workers are killed in the middle of it', async () => {
    const calendars: Subscribed[] = [];
    for (let count = 0; count < 4; count += 1) {
      calendars.push(await system.subscribe(count % 2 === 0 ? 'GOOGLE' : 'MICROSOFT'));
    }
    const [second] = await Promise.all([system.startWorker(), system.startWorker()]);
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(calendars.map((calendar) => system.change(calendar, `Change ${round}`)));
      if (round === 4) second.child.kill('SIGKILL');
      await sleep(500);
    }
    // The last change of each: nothing is left to be found.
    await eventually('calendars are quiet', async () => {
      const [{ busy }] = await system.fixture.GOOGLE.admin(
        'select count(*)::int as busy from synced_calendar where next_sync_at < now() + interval ' + "'1 minute'",
      );
      return busy === 0 ? true : undefined;
    });
    let total = 0;
    for (const { subscriptionId, path } of calendars) {
      const announced = await system.announced(subscriptionId);
      expect(announced.length).toBeGreaterThan(0);
      total += announced.length;
      await system.receiver.receives(announced.length, path);
      expect(new Set(system.receiver.ids(path))).toEqual(new Set(announced));
    }
    // A slow machine may find several changes of one calendar at once, but not all of all of them.
    expect(total).toBeGreaterThan(calendars.length);
  });
});

/** Outlook syncs windows. */
const WINDOW = { startDateTime: '2026-11-01T00:00:00Z', endDateTime: '2027-03-01T00:00:00Z' };
