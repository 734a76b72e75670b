import { guests, hour, IDA, MailboxFixture, OMAR, PIA, START_MS, type Json } from './mailbox-fixture.js';

let fixture: MailboxFixture;
beforeEach(() => {
  fixture = new MailboxFixture();
});

const MINUTE_MS = 60_000;
const inMinutes = (minutes: number) => new Date(START_MS + minutes * MINUTE_MS).toISOString();
const WANTED = {
  changeType: 'created,updated,deleted',
  notificationUrl: 'https://hooks.example/n',
  lifecycleNotificationUrl: 'https://hooks.example/l',
  resource: 'me/events',
  clientState: 's3cr3t',
  expirationDateTime: inMinutes(10_000),
};

const subscribe = (more: Json = {}, user = IDA) =>
  fixture.body(user, 'createSubscription', { body: { ...WANTED, ...more }, prefer: { idtype: 'ImmutableId' } });
const rejection = (more: Json, user = IDA) =>
  fixture.refusal(user, 'createSubscription', { body: { ...WANTED, ...more } });
const named = (id: unknown) => ({ path: { 'subscription-id': id as string } });

/** Kinds of change that were told, in order. */
const kinds = () =>
  fixture.notifications.flatMap(({ body }) => (body['value'] as Json[]).map((item) => item['changeType'] as string));

describe('a subscription', () => {
  it('is made after both its addresses have consented', async () => {
    const subscription = await subscribe();
    expect(fixture.validated).toEqual([WANTED.notificationUrl, WANTED.lifecycleNotificationUrl]);
    expect(subscription).toMatchObject({
      ...WANTED,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      creatorId: IDA.oid,
    });
    expect((await fixture.body(IDA, 'listSubscriptions'))['value']).toHaveLength(1);
    expect((await fixture.body(OMAR, 'listSubscriptions'))['value']).toEqual([]);
    expect(await fixture.refusal(OMAR, 'deleteSubscription', named(subscription['id']))).toBe('404 ResourceNotFound');
    expect(fixture.api.subscriptions()).toEqual([
      {
        id: subscription['id'] as string,
        resource: 'me/events',
        notificationUrl: WANTED.notificationUrl,
        email: IDA.email,
        expirationMs: START_MS + 10_000 * MINUTE_MS,
      },
    ]);
  });

  it('is not made without consent', async () => {
    fixture.consents = false;
    expect(await rejection({})).toBe('400 ValidationError');
    expect(fixture.api.subscriptions()).toEqual([]);
  });

  it('lives from 45 to 10,080 minutes', async () => {
    const { expirationDateTime } = await subscribe({ expirationDateTime: inMinutes(5) });
    expect(expirationDateTime).toBe(inMinutes(45));
    expect(await rejection({ expirationDateTime: inMinutes(10_081) })).toBe('400 ErrorInvalidRequest');
    expect(await rejection({ expirationDateTime: inMinutes(-1) })).toBe('400 ErrorInvalidRequest');
    fixture.ms += 45 * MINUTE_MS;
    expect(fixture.api.subscriptions()).toEqual([]);
  });

  it('is one for a resource and kinds of change', async () => {
    await subscribe();
    expect(await rejection({ changeType: 'deleted,created,updated', resource: '/me/calendar/events' })).toBe(
      '409 Conflict',
    );
    expect(await rejection({ changeType: 'deleted' })).toBe('carried out with 201');
    expect(await rejection({}, OMAR)).toBe('carried out with 201');
  });

  it('is known to the program that made it, and to its user', async () => {
    const one = { clientId: 'one', body: WANTED };
    const { id } = await fixture.body(IDA, 'createSubscription', one);
    expect(await fixture.refusal(IDA, 'createSubscription', one)).toBe('409 Conflict');
    const other = { clientId: 'other' };
    expect(await fixture.refusal(IDA, 'createSubscription', { ...one, ...other })).toBe('carried out with 201');
    expect(fixture.api.subscriptions()).toHaveLength(2);
    expect(await fixture.refusal(IDA, 'deleteSubscription', { ...named(id), ...other })).toBe('404 ResourceNotFound');
    const mine = { ...named(id), clientId: 'one' };
    expect(await fixture.refusal(IDA, 'deleteSubscription', mine)).toBe('carried out with 204');
  });

  it('is of a calendar of the user, and of nothing else', async () => {
    const shared = fixture.api.share({ owner: OMAR.email!, calendarId: null, with: IDA.email!, canEdit: true });
    expect(await rejection({ resource: `me/calendars/${shared}/events` })).toBe('403 ErrorAccessDenied');
    expect(await rejection({ resource: `users/${OMAR.oid}/events` })).toBe('403 ErrorAccessDenied');
    expect(await rejection({ resource: 'me/messages' })).toBe('400 ErrorInvalidRequest');
    expect(await rejection({ resource: 'me/calendars/x/events' })).toBe('400 ErrorInvalidIdMalformed');
    expect(await rejection({ resource: `users/${IDA.oid}/events` })).toBe('carried out with 201');
  });

  it('is renewed and deleted', async () => {
    const { id } = await subscribe({ expirationDateTime: inMinutes(60) });
    const renew = { ...named(id), body: { expirationDateTime: inMinutes(9_000) } };
    expect(await fixture.body(IDA, 'updateSubscription', renew)).toMatchObject({
      expirationDateTime: inMinutes(9_000),
    });
    const moved = { ...named(id), body: { notificationUrl: 'https://hooks.example/other' } };
    expect(await fixture.body(IDA, 'updateSubscription', moved)).toMatchObject(moved.body);
    expect(fixture.validated.at(-1)).toBe('https://hooks.example/other');
    expect((await fixture.call(IDA, 'deleteSubscription', named(id))).status).toBe(204);
    expect(await fixture.refusal(IDA, 'deleteSubscription', named(id))).toBe('404 ResourceNotFound');
    expect(await fixture.refusal(IDA, 'updateSubscription', renew)).toBe('404 ResourceNotFound');
  });
});

describe('a notification', () => {
  it('names the event, in the form of id that was asked for', async () => {
    const { id: subscriptionId } = await subscribe();
    const { id } = await fixture.create(IDA, hour(8));
    const item = (fixture.notifications[0]!.body['value'] as Json[])[0]!;
    const eventId = (item['resourceData'] as Json)['id'] as string;
    expect(eventId).not.toBe(id);
    expect(await fixture.get(IDA, eventId)).toMatchObject({ id: id as string });
    expect(fixture.notifications[0]!.url).toBe(WANTED.notificationUrl);
    expect(item).toEqual({
      subscriptionId,
      subscriptionExpirationDateTime: WANTED.expirationDateTime,
      changeType: 'created',
      resource: `Users/${IDA.oid}/Events/${eventId}`,
      resourceData: {
        '@odata.type': '#Microsoft.Graph.Event',
        '@odata.id': `Users/${IDA.oid}/Events/${eventId}`,
        '@odata.etag': expect.stringMatching(/^W\//),
        id: eventId,
      },
      clientState: 's3cr3t',
      tenantId: IDA.tid,
    });
  });

  it('tells of creations twice, of changes, and of deletions', async () => {
    await subscribe();
    const { id } = await fixture.create(IDA, hour(8));
    await fixture.patch(IDA, id as string, { subject: 'x' });
    await fixture.remove(IDA, id as string);
    expect(kinds()).toEqual(['created', 'updated', 'updated', 'deleted']);
  });

  it('tells of an instance that was deleted by its series', async () => {
    const { id } = await fixture.create(IDA, {
      ...hour(8),
      recurrence: { pattern: { type: 'daily', interval: 1 }, range: { type: 'noEnd', startDate: '2026-12-01' } },
    });
    await subscribe({ changeType: 'updated,deleted' });
    const [first] = await fixture.view(IDA, '2026-12-01', '2026-12-03');
    await fixture.remove(IDA, first!['id'] as string);
    expect(kinds()).toEqual(['updated']);
    const notifications = (fixture.notifications[0]!.body['value'] as Json[])[0]!['resourceData'] as Json;
    expect(await fixture.get(IDA, notifications['id'] as string)).toMatchObject({ id: id as string });
  });

  it('tells of its calendar and kinds of change only', async () => {
    await subscribe({ changeType: 'deleted' });
    const other = await fixture.body(IDA, 'create_me_calendars', { body: { name: 'Side' } });
    const path = { 'calendar-id': other['id'] as string };
    await subscribe({
      resource: `me/calendars/${encodeURIComponent(path['calendar-id'])}/events`,
      changeType: 'created',
    });
    await fixture.create(IDA, hour(8));
    expect(fixture.notifications).toEqual([]);
    await fixture.body(IDA, 'create_me_calendars_By_calendar_id_events', { path, body: hour(9) });
    expect(kinds()).toEqual(['created']);
  });

  it('goes together with others for one address', async () => {
    await subscribe({}, OMAR);
    await subscribe({}, PIA);
    await fixture.create(IDA, { ...guests(OMAR.email, PIA.email), ...hour(8) });
    expect(fixture.notifications).toHaveLength(1);
    expect(
      new Set((fixture.notifications[0]!.body['value'] as Json[]).map((item) => item['subscriptionId'] as string)).size,
    ).toBe(2);
  });

  it('does not come after the end', async () => {
    const { id } = await subscribe();
    expect(fixture.api.dropSubscription(id as string, false)).toBe(true);
    await fixture.create(IDA, hour(8));
    expect(fixture.notifications).toEqual([]);
    expect(fixture.api.dropSubscription(id as string, true)).toBe(false);
  });
});

describe('a lifecycle notification', () => {
  it('comes to its own address', async () => {
    const { id } = await subscribe();
    expect(fixture.api.sendLifecycle(id as string, 'reauthorizationRequired')).toBe(true);
    expect(fixture.api.dropSubscription(id as string, true)).toBe(true);
    expect(fixture.notifications.map(({ url, body }) => [url, (body['value'] as Json[])[0]])).toEqual(
      ['reauthorizationRequired', 'subscriptionRemoved'].map((lifecycleEvent) => [
        WANTED.lifecycleNotificationUrl,
        {
          subscriptionId: id as string,
          subscriptionExpirationDateTime: WANTED.expirationDateTime,
          tenantId: IDA.tid,
          clientState: 's3cr3t',
          lifecycleEvent,
        },
      ]),
    );
    expect(fixture.api.sendLifecycle(id as string, 'missed')).toBe(false);
  });

  it('comes nowhere without one', async () => {
    const { lifecycleNotificationUrl: _none, ...body } = WANTED;
    const { id } = await fixture.body(IDA, 'createSubscription', { body });
    expect(fixture.api.sendLifecycle(id as string, 'missed')).toBe(true);
    expect(fixture.notifications).toEqual([]);
  });
});
