import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OutboxMessage } from '#domain/accounts';
import { openPersistence, type Persistence } from './persistence.js';
import { newSyncedCalendar, SECRETS, subscribe, tryClaim } from './webhook-fixture.js';

let replicas: Persistence[];
const some = (n: number) => replicas[n % replicas.length] as Persistence;

beforeAll(async () => {
  const first = await openPersistence();
  replicas = [first, await openPersistence({ testDatabase: first.testDatabase })];
});

afterAll(async () => {
  for (const one of replicas.toReversed()) await one.close();
});

const NOBODY = '0197a000-0000-7000-8000-000000000000';

describe('endpoints', () => {
  const ofApplication = { syncedCalendarId: null, eventTypes: ['enduseraccount.updated'], rateLimit: 2.5 };

  it('come back as they were made', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const made = await some(0).endpoints.create(fixture.application, { ...ofApplication, url: 'u', secrets: SECRETS });
    expect(made).toEqual({
      id: expect.any(String),
      ...fixture.application,
      ...ofApplication,
      url: 'u',
      failingSince: null,
      disabledAt: null,
      disabledReason: null,
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
    expect(await some(1).endpoints.get(fixture.application, made.id)).toEqual(made);
  });

  it('are listed page by page: the application’s and an account’s subscriptions apart', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const mine = [];
    const subscriptions = [];
    for (let count = 0; count < 3; count += 1) {
      mine.push(
        (await some(0).endpoints.create(fixture.application, { ...ofApplication, url: 'u', secrets: SECRETS })).id,
      );
      subscriptions.push((await subscribe(some(0), fixture)).id);
    }
    for (const made of [mine, subscriptions]) made.sort(); // two may be of one millisecond
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
    const { endpoints } = some(0);
    expect(ids(await endpoints.list(fixture.application, { limit: 2, after: null }))).toEqual(mine.slice(0, 2));
    expect(ids(await endpoints.list(fixture.application, { limit: 2, after: mine[1] as string }))).toEqual([mine[2]]);
    expect(await endpoints.list(fixture.application, { limit: 2, after: 'x' })).toEqual([]);
    const list = (limit: number, after: string | null, accountId = fixture.account.id) =>
      endpoints.listSubscriptions(fixture.application, accountId, { limit, after });
    expect(ids(await list(2, null))).toEqual(subscriptions.slice(0, 2));
    expect(await list(2, subscriptions[1] as string)).toEqual([
      expect.objectContaining({
        id: subscriptions[2],
        accountId: fixture.account.id,
        calendarId: fixture.calendarId,
        channel: null,
      }),
    ]);
    expect(await list(2, null, 'x')).toEqual([]);
    expect(await list(2, null, NOBODY)).toEqual([]);
  });

  it('are removed once, by the kind that they are', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const mine = await some(0).endpoints.create(fixture.application, { ...ofApplication, url: 'u', secrets: SECRETS });
    const subscription = await subscribe(some(0), fixture);
    const remove = (id: string, accountId: string | null) =>
      some(0).endpoints.remove(fixture.application, id, accountId);
    expect(await remove(mine.id, fixture.account.id)).toBe(false);
    expect(await remove(subscription.id, null)).toBe(false);
    expect(await remove(subscription.id, NOBODY)).toBe(false);
    expect(await remove(subscription.id, 'x')).toBe(false);
    expect(await remove('x', null)).toBe(false);
    const removed = await Promise.all([0, 1, 0, 1].map(() => remove(subscription.id, fixture.account.id)));
    expect(removed.filter(Boolean)).toHaveLength(1);
    expect(await remove(mine.id, null)).toBe(true);
  });

  it.each([{ applicationId: 'x' }, { applicationId: NOBODY }])('are NotFound for $applicationId', async (nobody) => {
    const create = (syncedCalendarId: string | null) =>
      some(0).endpoints.create(nobody, { ...ofApplication, syncedCalendarId, url: 'u', secrets: SECRETS });
    await expect(create(null)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(create('x')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it.each(['x', NOBODY])('with the id %j are NotFound', async (id) => {
    const application = await some(0).newApplication();
    const { endpoints } = some(0);
    await expect(endpoints.get(application, id)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(endpoints.changeSecrets(application, id, () => SECRETS)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(endpoints.setRateLimit(application, id, 1)).rejects.toMatchObject({ code: 'NotFound' });
    expect(await endpoints.disable(application, id, 'requested')).toBe(false);
    expect(await endpoints.enable(application, id)).toBe(false);
  });

  it('W12 are disabled by one caller, and enabled by one: then they have failed never', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const { id } = await subscribe(some(0), fixture);
    const race = async (act: (n: number) => Promise<boolean>) =>
      (await Promise.all(Array.from({ length: 8 }, (_, n) => act(n)))).filter(Boolean).length;
    await some(0).admin('update webhook_endpoint set failing_since = now() where id = $1', [id]);
    expect(await race((n) => some(n).endpoints.disable(fixture.application, id, 'failing'))).toBe(1);
    expect(await some(0).endpoints.get(fixture.application, id)).toMatchObject({
      disabledReason: 'failing',
      disabledAt: expect.any(Date),
      failingSince: expect.any(Date),
    });
    expect(await race((n) => some(n).endpoints.enable(fixture.application, id))).toBe(1);
    expect(await some(0).endpoints.get(fixture.application, id)).toMatchObject({
      disabledReason: null,
      disabledAt: null,
      failingSince: null,
    });
  });
});

describe('signing secrets', () => {
  it('W3 are encrypted at rest', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const { id } = await subscribe(some(0), fixture, { secrets: { active: 'canary', retiring: [] } });
    const [row] = await some(0).admin<{ secrets: Buffer }>('select secrets from webhook_endpoint where id = $1', [id]);
    expect(row?.secrets.includes('canary')).toBe(false);
  });

  it('W4 are changed one after the other: no change is lost', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const { id } = await subscribe(some(0), fixture);
    const endsAt = new Date('2026-12-01T00:00:00.5Z');
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        some(n).endpoints.changeSecrets(fixture.application, id, ({ active, retiring }) => ({
          active: `whsec_${n}`,
          retiring: [{ secret: active, endsAt }, ...retiring],
        })),
      ),
    );
    const { active, retiring } = await some(0).endpoints.changeSecrets(fixture.application, id, (secrets) => secrets);
    const all = [active, ...retiring.map(({ secret }) => secret)];
    expect(all.sort()).toEqual([...Array.from({ length: 8 }, (_, n) => `whsec_${n}`), SECRETS.active].sort());
    expect(retiring[0]?.endsAt).toEqual(endsAt);
  });

  it('W4 stay as they were when the change is refused', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const { id } = await subscribe(some(0), fixture);
    const rejected = () => {
      throw new Error('five are in force');
    };
    await expect(some(0).endpoints.changeSecrets(fixture.application, id, rejected)).rejects.toThrow(
      'five are in force',
    );
    expect(await some(0).endpoints.changeSecrets(fixture.application, id, (secrets) => secrets)).toEqual(SECRETS);
  });
});

describe('account events', () => {
  const event = (n: number, given: Partial<OutboxMessage> = {}): OutboxMessage => ({
    eventType: 'enduseraccount.updated',
    payload: { n, endUserAccountId: NOBODY },
    ...given,
  });
  const compose = (messageId: string, { eventType, payload }: OutboxMessage) => ({
    eventType,
    body: Buffer.from(JSON.stringify({ ...payload, messageId })),
  });
  const bodies = async (endpointId: string) =>
    (
      await some(0).admin<{ id: string; body: string; account_id: string | null }>(
        'select id, body, account_id from webhook_message where endpoint_id = $1 order by created_at',
        [endpointId],
      )
    ).map(({ id, body, account_id: accountId }) => ({ id, accountId, ...(JSON.parse(body) as { n: number }) }));

  it('W20 become messages of the endpoints that want their type: each once, in order, whoever relays', async () => {
    const application = await some(0).newApplication();
    const endpoint = (eventTypes: string[], owner = application) =>
      some(0).endpoints.create(owner, {
        syncedCalendarId: null,
        url: 'u',
        eventTypes,
        rateLimit: null,
        secrets: SECRETS,
      });
    const updates = await endpoint(['enduseraccount.updated']);
    const both = await endpoint(['enduseraccount.updated', 'enduseraccount.created']);
    const elsewhere = await endpoint(['enduseraccount.updated'], await some(0).newApplication());
    for (let n = 0; n < 40; n += 1) await some(n).outbox.append(application, event(n));
    await some(0).outbox.append(application, event(40, { eventType: 'enduseraccount.created', payload: { n: 40 } }));
    const relayed = await Promise.all(Array.from({ length: 20 }, (_, n) => some(n).relay.relay(7, compose)));
    for (let count = 7; count === 7;) relayed.push((count = await some(0).relay.relay(7, compose)));
    expect(relayed.reduce((sum, count) => sum + count)).toBe(41);
    const [ofUpdates, ofBoth] = [await bodies(updates.id), await bodies(both.id)];
    expect(ofUpdates.map(({ n }) => n)).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(ofBoth.map(({ n }) => n)).toEqual(Array.from({ length: 41 }, (_, n) => n));
    expect(ofBoth[0]).toMatchObject({ messageId: ofBoth[0]?.id, accountId: NOBODY });
    expect(ofBoth[40]).toMatchObject({ accountId: null });
    expect(await bodies(elsewhere.id)).toEqual([]);
    const first = await tryClaim(some(0), ofBoth[0]?.id as string, { leaseMs: 1_000, aheadMs: 0 });
    expect(first).toMatchObject({
      attempt: { webhookSubscriptionId: null, endUserAccountId: NOBODY, calendarId: null },
    });
  });

  it('stay in the outbox when their message cannot be made', async () => {
    const application = await some(0).newApplication();
    const { id } = await some(0).endpoints.create(application, {
      syncedCalendarId: null,
      url: 'u',
      eventTypes: ['enduseraccount.updated'],
      rateLimit: null,
      secrets: SECRETS,
    });
    await some(0).outbox.append(application, event(1));
    await some(0).outbox.append(application, event(2));
    const broken = (messageId: string, message: OutboxMessage) => {
      if (message.payload['n'] === 2) throw new Error('no message');
      return compose(messageId, message);
    };
    await expect(some(0).relay.relay(9, broken)).rejects.toThrow('no message');
    expect(await bodies(id)).toEqual([]);
    expect(await some(0).relay.relay(9, compose)).toBe(2);
    expect((await bodies(id)).map(({ n }) => n)).toEqual([1, 2]);
  });

  it('that are not committed are not relayed', async () => {
    const application = await some(0).newApplication();
    await some(0).unitOfWork.run(application, async () => {
      await some(0).outbox.append(application, event(1));
      expect(await some(1).relay.relay(9, compose)).toBe(0);
    });
    expect(await some(1).relay.relay(9, compose)).toBe(1);
  });
});
