import { createDAVClient } from 'tsdav';
import { asAdmin } from '../support/postgres.js';
import { calendarObject } from '../support/connected-account.js';
import type { CalDavServer } from '../support/caldav-server.js';
import { eventually } from '../support/processes.js';
import { startRadicale } from '../support/radicale.js';
import { startService, type Service } from '../support/service.js';
import { verified, WebhookReceiver } from '../support/webhook-receiver.js';
import { runWorker, type WorkerUnderTest } from '../support/worker.js';

/** Calendars of a server that pushes nothing, for an application that wants to be told all the same. */
describe('changes at a CalDAV server', () => {
  let server: CalDavServer;
  let receiver: WebhookReceiver;
  let service: Service;
  let worker: WorkerUnderTest;
  let accountId: string;
  let calendarId: string;
  let secret: string;

  beforeAll(async () => {
    [server, receiver] = await Promise.all([startRadicale(), WebhookReceiver.start()]);
    service = await startService({ EGRESS_ALLOW: `${server.authority},${receiver.egressAllow}` });
    const databaseUrl = service.env['DATABASE_URL'] ?? '';
    worker = await runWorker(databaseUrl, service.env);
    const options = ['--polled-webhooks', 'on', '--enriched-webhooks', 'on'];
    await service.ops('application', 'set', '--id', service.applicationId, ...options);
    const connected = await service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, {
      body: { serverUrl: server.url, email: server.username, password: server.password },
    });
    accountId = connected.body.id;
    const made = await service.call('POST', `/v1/calendars/${accountId}`, { body: { name: 'Polled' } });
    calendarId = made.body.id;
    const subscribed = await service.call('POST', `/v1/calendarSubscriptions/${accountId}`, {
      body: { calendarId, webhookUrl: receiver.endpoint('/polled') },
    });
    secret = subscribed.body.endpointSecret;
    await settled();
  });

  afterAll(async () => {
    await worker?.stop();
    await service?.stop();
    await receiver?.close();
    await server?.stop();
  });

  const admin = <Row>(text: string) =>
    asAdmin(service.adminDatabaseUrl, async (client) => (await client.query(text)).rows as Row[]);

  /** Seconds until the timer looks, once nothing is due or under way. */
  const settled = () =>
    eventually('no look is due', async () => {
      const [row] = await admin<{ due_in: number }>(
        'select extract(epoch from next_sync_at - clock_timestamp())::float8 as due_in from synced_calendar ' +
          'where sync_token is not null and sync_lease_id is null and next_sync_at > clock_timestamp()',
      );
      return row?.due_in;
    });

  it('are told by the timer, within a minute, and twice as often afterwards', async () => {
    expect(await settled()).toBeLessThanOrEqual(55);
    const client = await createDAVClient({
      serverUrl: server.url,
      credentials: { username: server.username, password: server.password },
      authMethod: 'Basic',
      defaultAccountType: 'caldav',
    });
    const calendar = (await client.fetchCalendars()).find(({ displayName }) => displayName === 'Polled');
    await client.createCalendarObject({
      calendar: calendar!,
      filename: 'lunch.ics',
      iCalString: calendarObject('lunch', 'Lunch'),
    });
    await admin('update synced_calendar set next_sync_at = clock_timestamp()');
    const [receipt] = await receiver.receives(1);
    expect(verified(receipt!, secret)).toMatchObject({
      eventType: 'calendar.event.changed',
      endUserAccountId: accountId,
      calendarId,
      providerType: 'CALDAV',
    });
    expect(await settled()).toBeLessThanOrEqual(30);
  });

  it('are told at once when they are our own, and once', async () => {
    const { status } = await service.call('POST', `/v1/events/${accountId}/${calendarId}`, {
      body: { title: 'Own', start: { dateTime: '2027-03-22T09:00:00Z' }, end: { dateTime: '2027-03-22T10:00:00Z' } },
    });
    expect(status).toBe(200);
    await receiver.receives(2);
    await settled();
    await admin('update synced_calendar set next_sync_at = clock_timestamp()');
    await settled();
    expect(receiver.ids()).toHaveLength(2);
  });

  it('are told as unknown, once, when the calendar is gone', async () => {
    const { status } = await service.call('DELETE', `/v1/calendars/${accountId}/${calendarId}`);
    expect(status).toBe(200);
    const receipts = await receiver.receives(3);
    expect(verified(receipts.at(-1)!, secret)).toMatchObject({ eventType: 'calendar.event.unknown' });
    expect(await settled()).toBeGreaterThan(3_600);
  });

  it('are told from the moment on at which the subscription was answered', async () => {
    const made = await service.call('POST', `/v1/calendars/${accountId}`, { body: { name: 'Hurried' } });
    const hurried: string = made.body.id;
    const client = await createDAVClient({
      serverUrl: server.url,
      credentials: { username: server.username, password: server.password },
      authMethod: 'Basic',
      defaultAccountType: 'caldav',
    });
    const calendar = (await client.fetchCalendars()).find(({ displayName }) => displayName === 'Hurried');
    const { status } = await service.call('POST', `/v1/calendarSubscriptions/${accountId}`, {
      body: { calendarId: hurried, webhookUrl: receiver.endpoint('/hurried') },
    });
    expect(status).toBe(200);
    await client.createCalendarObject({
      calendar: calendar!,
      filename: 'dash.ics',
      iCalString: calendarObject('dash', 'Dash'),
    });
    await admin('update synced_calendar set next_sync_at = clock_timestamp() where sync_lease_id is null');
    await eventually('the change is told', async () =>
      receiver.receipts.some(({ path }) => path === '/hurried') ? true : undefined,
    );
  });
});
