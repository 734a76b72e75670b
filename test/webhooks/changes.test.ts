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
  let told: WebhookSystem;
  let redis: RedisServer | undefined;

  beforeAll(async () => {
    if (backend === 'Redis') redis = await startRedis();
    told = await startWebhookSystem(redis === undefined ? {} : { REDIS_URL: redis.url });
    await told.startWorker();
  });

  afterAll(async () => {
    await told.fixture.calm();
    await told.stop();
    await redis?.stop();
  });

  const read = async ({ accountId, calendarId }: Subscribed, syncToken?: string) => {
    const { status, body } = await told.fixture.service.call(
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
      const subscribed = await told.subscribe(providerType);
      const { nextSyncToken } = await read(subscribed);
      await told.change(subscribed, 'Lunch');
      const [receipt] = await told.receiver.receives(1, subscribed.path);
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
      const subscribed = await told.subscribe(providerType);
      await told.change(subscribed, 'Before');
      await told.receiver.receives(1, subscribed.path);
      const { accountId, calendarId, path } = subscribed;
      const { status } = await told.fixture.service.call(
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
      await told.receiver.receives(2, path);
      // Long enough for what ought not to happen to happen.
      await sleep(3_000);
      expect(told.receiver.at(path)).toHaveLength(2);
    },
    60_000,
  );

  it('W13 nothing is told any more once a subscription is deleted, and its channel ends', async () => {
    const subscribed = await told.subscribe('GOOGLE');
    const others = await told.subscribe('GOOGLE');
    const { status, body } = await told.fixture.service.call(
      'DELETE',
      `/v1/calendarSubscriptions/${subscribed.accountId}`,
      { body: { subscriptionId: subscribed.subscriptionId } },
    );
    expect([status, body]).toEqual([200, { success: true }]);
    await eventually('the channel is stopped', async () => {
      const channels = await told.fixture.sandbox.channels();
      return channels.some(({ email }) => email === subscribed.email) ? undefined : true;
    });
    await told.change(subscribed, 'Unheard');
    await told.change(others, 'Heard');
    await told.receiver.receives(1, others.path);
    expect(told.receiver.at(subscribed.path)).toEqual([]);
  });

  it('W20 everything that was to be told arrives, although workers are killed in the middle of it', async () => {
    const calendars: Subscribed[] = [];
    for (let count = 0; count < 4; count += 1) {
      calendars.push(await told.subscribe(count % 2 === 0 ? 'GOOGLE' : 'MICROSOFT'));
    }
    const [second] = await Promise.all([told.startWorker(), told.startWorker()]);
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(calendars.map((calendar) => told.change(calendar, `Change ${round}`)));
      if (round === 4) second.child.kill('SIGKILL');
      await sleep(500);
    }
    // The last change of each: nothing is left to be found.
    await eventually('calendars are quiet', async () => {
      const [{ busy }] = await told.fixture.GOOGLE.admin(
        'select count(*)::int as busy from synced_calendar where next_sync_at < now() + interval ' + "'1 minute'",
      );
      return busy === 0 ? true : undefined;
    });
    for (const { subscriptionId, path } of calendars) {
      const announced = await told.announced(subscriptionId);
      expect(announced.length).toBeGreaterThan(1);
      await told.receiver.receives(announced.length, path);
      expect(new Set(told.receiver.ids(path))).toEqual(new Set(announced));
    }
  });
});

/** Outlook syncs windows. */
const WINDOW = { startDateTime: '2026-11-01T00:00:00Z', endDateTime: '2027-03-01T00:00:00Z' };
