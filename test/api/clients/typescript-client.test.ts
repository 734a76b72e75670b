// 25 to 30 s beside other suites: the service and a worker start, and a limit and a delivery are waited for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createClient,
  isRemoved,
  SyncTokenExpired,
  UnifiedCalendarError,
  UnifiedCalendarNetworkError,
  verifyWebhook,
  WebhookVerificationError,
  type ClientOptions,
  type CreateEvent,
  type EventStore,
  type UnifiedCalendarClient,
} from '../../../clients/typescript/src/index.js';
import { startGoogleService, type GoogleService } from '../../support/google-service.js';
import { eventually } from '../../support/processes.js';
import { WebhookReceiver, type Receipt } from '../../support/webhook-receiver.js';
import { runWorker, type WorkerUnderTest } from '../../support/worker.js';

// Our own client against the running service: what its specs do with answers that they make up is true here.

const ADA = 'ada@example.test';
const GRACE = 'grace@example.test';
const JANUARY = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z' };

let google: GoogleService;
let receiver: WebhookReceiver;
let client: UnifiedCalendarClient;
let endUserAccountId: string;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  // Nobody listens there: nothing of a test leaves the machine.
  google = await startGoogleService({ EGRESS_ALLOW: receiver.egressAllow, APPLE_CALDAV_URL: 'http://127.0.0.1:9' });
  client = clientWith({});
  endUserAccountId = (await google.connected(ADA)).accountId;
});

afterAll(async () => {
  await google?.stop();
  await receiver?.close();
});

function clientWith(options: Partial<ClientOptions>): UnifiedCalendarClient {
  return createClient({ baseUrl: google.service.baseUrl, apiKey: google.service.apiKey, ...options });
}

async function failureOf(work: Promise<unknown>): Promise<any> {
  return work.then(
    () => Promise.reject(new Error('nothing was refused')),
    (failure: unknown) => failure,
  );
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function planned(title: string, day = '2033-01-10'): CreateEvent {
  return { title, start: { dateTime: `${day}T09:00:00Z` }, end: { dateTime: `${day}T10:00:00Z` } };
}

async function newCalendar(name: string): Promise<{ endUserAccountId: string; calendarId: string }> {
  return { endUserAccountId, calendarId: (await client.calendars.create({ endUserAccountId }, { name })).id };
}

describe('accounts', () => {
  it('are listed, read, connected and deleted', async () => {
    const { accountId } = await google.connected(GRACE);
    await google.connected('edith@example.test');
    const sizes: number[] = [];
    for await (const { data } of client.endUserAccounts.pages({ limit: 1 })) sizes.push(data.length);
    expect(sizes).toEqual([1, 1, 1]);
    const emails = (await all(client.endUserAccounts.listAll({ limit: 1 }))).map(({ email }) => email);
    expect(emails.sort()).toEqual([ADA, 'edith@example.test', GRACE]);
    expect(await client.endUserAccounts.get({ endUserAccountId: accountId })).toMatchObject({ email: GRACE });
    const { refreshToken } = await client.endUserAccounts.credentials({ endUserAccountId: accountId });
    const again = { email: GRACE, providerType: 'GOOGLE', refreshToken, externalId: 'user-7' } as const;
    expect(await client.endUserAccounts.upsert(again)).toMatchObject({ id: accountId, externalId: 'user-7' });
    expect(await client.endUserAccounts.delete({ endUserAccountId: accountId })).toMatchObject({ ok: true });
    expect(await failureOf(client.endUserAccounts.get({ endUserAccountId: accountId }))).toMatchObject({ status: 404 });
  });

  it('with a password are refused as the service refuses them', async () => {
    const { applicationId } = google.service;
    const login = { email: 'ada', password: 'secret' };
    const calDav = client.endUserAccounts.connectCalDav({ applicationId }, { ...login, serverUrl: 'http://10.0.0.1/' });
    expect(await failureOf(calDav)).toMatchObject({ status: 400, code: 'ServerNotAllowed' });
    const apple = client.endUserAccounts.connectApple({ applicationId }, login);
    expect(await failureOf(apple)).toMatchObject({ status: 502, code: 'ProviderUnavailable' });
  });
});

describe('calendars', () => {
  it('are made, read, changed, synchronised and deleted', async () => {
    const first = client.calendars.sync({ endUserAccountId });
    expect((await all(first)).map(({ id }) => id)).toContain(ADA);
    const at = await newCalendar('Plans');
    expect(await client.calendars.get(at)).toMatchObject({ id: at.calendarId, name: 'Plans' });
    expect(await client.calendars.update(at, { name: 'Renamed' })).toMatchObject({ name: 'Renamed' });
    const names = (await all(client.calendars.listAll({ endUserAccountId }))).map(({ name }) => name);
    expect(names).toContain('Renamed');
    const syncToken = first.nextSyncToken!;
    expect(await all(client.calendars.sync({ endUserAccountId, syncToken }))).toMatchObject([{ id: at.calendarId }]);
    expect(await client.calendars.delete(at)).toEqual({ success: true });
    const gone = client.calendars.sync({ endUserAccountId, syncToken });
    expect(await all(gone)).toMatchObject([{ id: at.calendarId, isDeleted: true }]);
  });
});

describe('events', () => {
  it('are made, read, changed in one version alone, and deleted', async () => {
    const at = await newCalendar('Versions');
    const made = await client.events.create({ ...at, notifyParticipants: 'none' }, planned('Planning'));
    const here = { ...at, eventId: made.id };
    expect(await client.events.get({ ...here, timeZone: 'Asia/Tokyo' })).toMatchObject({
      start: { dateTime: '2033-01-10T18:00:00+09:00', timeZone: 'Asia/Tokyo' },
    });
    const changed = await client.events.update(here, { title: 'Moved' }, { ifMatch: made.etag });
    expect(changed.title).toBe('Moved');
    const stale = await failureOf(client.events.update(here, { title: 'Lost' }, { ifMatch: made.etag }));
    expect(stale).toMatchObject({ status: 412, code: 'PreconditionFailed' });
    expect(await failureOf(client.events.delete(here, { ifMatch: made.etag }))).toMatchObject({ status: 412 });
    expect(await client.events.delete(here, { ifMatch: changed.etag })).toEqual({ success: true });
    expect(await failureOf(client.events.get(here))).toMatchObject({ status: 404, code: 'NotFound' });
  });

  it('of a series have occurrences', async () => {
    const at = await newCalendar('Series');
    const weekly = { ...planned('Weekly', '2033-01-03'), recurrence: ['RRULE:FREQ=WEEKLY;COUNT=9'] };
    const { id: eventId } = await client.events.create(at, weekly);
    const asked = { ...at, ...JANUARY, eventId, pageSize: 2 };
    const found = await all(client.events.allOccurrences(asked));
    expect(found.map(({ recurringEventId }) => recurringEventId)).toEqual(Array(5).fill(eventId));
    expect((await client.events.occurrences(asked)).nextPageToken).toEqual(expect.any(String));
  });

  it('are answered when they are invitations', async () => {
    const start = { dateTime: '2033-06-10T09:00:00Z' };
    const end = { dateTime: '2033-06-10T10:00:00Z' };
    const body = { summary: 'Invitation', start, end, attendees: [{ email: ADA }] };
    const path = { calendarId: 'edith@example.test' };
    await google.sandbox.act({ email: 'edith@example.test', methodId: 'calendar.events.insert', path, body });
    const at = { endUserAccountId, calendarId: ADA };
    const [invitation] = await all(client.events.listAll({ ...at, search: 'Invitation' }));
    const here = { ...at, eventId: invitation!.id };
    expect(await client.events.rsvp(here, { responseStatus: 'accepted' })).toEqual({ success: true });
    expect((await client.events.get(here)).myResponseStatus).toBe('accepted');
  });

  it('are read page by page, then only what changed, until the token is too old', async () => {
    const at = await newCalendar('Synchronised');
    const made: string[] = [];
    for (const title of ['1', '2', '3', '4', '5']) made.push((await client.events.create(at, planned(title))).id);
    const sizes: number[] = [];
    for await (const { data } of client.events.pages({ ...at, pageSize: 2 })) sizes.push(data.length);
    expect(sizes).toEqual([2, 2, 1]);
    const listed = await all(client.events.listAll({ ...at, pageSize: 2 }));
    expect(listed.map(({ id }) => id).sort()).toEqual([...made].sort());

    const everything = client.events.sync({ ...at, pageSize: 2 });
    expect((await all(everything)).map(({ id }) => id).sort()).toEqual([...made].sort());
    const asked = { ...at, syncToken: everything.nextSyncToken! };
    await client.events.update({ ...at, eventId: made[0]! }, { title: 'Changed' });
    await client.events.delete({ ...at, eventId: made[1]! });
    const changes = client.events.sync(asked);
    const seen = new Map((await all(changes)).map((event) => [event.id, isRemoved(event) ? null : event.title]));
    expect(seen.get(made[0]!)).toBe('Changed');
    expect((await all(client.events.sync(asked))).find(({ id }) => id === made[1])?.isCancelled).toBe(true);
    expect(seen.size).toBe(2);
    expect(await all(client.events.sync({ ...asked, syncToken: changes.nextSyncToken! }))).toEqual([]);

    await google.sandbox.expireSyncTokens({ email: ADA, calendarId: at.calendarId });
    const expired = await failureOf(all(client.events.sync(asked)));
    expect(expired).toBeInstanceOf(SyncTokenExpired);
    expect(expired).toMatchObject({ status: 410, code: 'SyncTokenExpired' });
    const anew = client.events.sync(asked, { startOver: true });
    expect(await all(anew)).toHaveLength(4);
    expect(anew.hasStartedOver).toBe(true);
    expect(await all(client.events.sync({ ...asked, syncToken: anew.nextSyncToken! }))).toEqual([]);
  });

  it('have what the document says that every event has', async () => {
    const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'));
    const [, always = ''] = document.components.schemas.Event.description.split('Every other event has also');
    const fields = [...always.matchAll(/`(\w+)`/g)].map(([, field]) => field);
    expect(fields).toHaveLength(14);
    const made = await client.events.create(await newCalendar('Described'), planned('Described'));
    expect(Object.keys(made)).toEqual(expect.arrayContaining([...fields, 'id', 'isCancelled']));
  });

  it('are copied into a store, which then follows what changes', async () => {
    const at = await newCalendar('Copied');
    const [kept, gone] = [
      await client.events.create(at, planned('Kept')),
      await client.events.create(at, planned('Gone')),
    ];
    const copy = new Map<string, string>();
    let token: string | null = null;
    const store: EventStore = {
      syncToken: () => token,
      upsert: ({ id, title }) => void copy.set(id, title),
      delete: (id) => void copy.delete(id),
      ids: () => copy.keys(),
      saveSyncToken: (given) => void (token = given),
    };
    expect(await client.events.syncInto(store, { ...at, pageSize: 1 })).toEqual({
      upserted: 2,
      deleted: 0,
      isFull: true,
    });
    await client.events.update({ ...at, eventId: kept.id }, { title: 'Changed' });
    await client.events.delete({ ...at, eventId: gone.id });
    expect(await client.events.syncInto(store, at)).toEqual({ upserted: 1, deleted: 1, isFull: false });
    expect([...copy]).toEqual([[kept.id, 'Changed']]);
    await google.sandbox.expireSyncTokens({ email: ADA, calendarId: at.calendarId });
    copy.set('stale', 'Stale');
    expect(await client.events.syncInto(store, at)).toEqual({ upserted: 1, deleted: 1, isFull: true });
    expect([...copy]).toEqual([[kept.id, 'Changed']]);
  });

  it('F23 are made once, although the answer was lost on the way', async () => {
    const at = await newCalendar('Once');
    const replayed: (string | null)[] = [];
    const lose = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init);
      replayed.push(response.headers.get('idempotency-replayed'));
      if (replayed.length === 1) throw new TypeError('the connection was reset');
      return response;
    };
    const made = await clientWith({ fetch: lose, retries: 2 }).events.create(at, planned('Once'));
    expect(replayed).toEqual([null, 'true']);
    expect((await all(client.events.listAll(at))).map(({ id }) => id)).toEqual([made.id]);
    const without = clientWith({ fetch: () => Promise.reject(new TypeError('unreachable')), retries: 0 });
    expect(await failureOf(without.events.create(at, planned('Never')))).toBeInstanceOf(UnifiedCalendarNetworkError);
  });

  it('say when they keep somebody busy', async () => {
    const at = await newCalendar('Busy');
    await client.events.create(at, planned('Busy'));
    const asked = { ...JANUARY, timeZone: 'UTC', calendarIds: [at.calendarId] };
    expect(await client.freeBusy.query({ endUserAccountId }, asked)).toMatchObject([
      { calendarId: at.calendarId, busySlots: [{ start: { dateTime: '2033-01-10T09:00:00Z' } }] },
    ]);
  });
});

describe('errors', () => {
  it('are typed, with the id of the request and what is wrong with it', async () => {
    const wrong = { title: 'x', start: { dateTime: 'tomorrow' } };
    const asked = client.events.create({ endUserAccountId, calendarId: ADA }, wrong, { requestId: 'mine-1' });
    const error = await failureOf(asked);
    expect(error).toBeInstanceOf(UnifiedCalendarError);
    expect(error).toMatchObject({
      ...{ status: 400, code: 'ValidationFailed', requestId: 'mine-1' },
      details: [{ path: 'start.dateTime', message: expect.any(String) }],
    });
  });

  it('tell a key that is none', async () => {
    const error = await failureOf(clientWith({ apiKey: 'wrong' }).endUserAccounts.list());
    expect(error).toMatchObject({ status: 401, code: 'InvalidApiKey', message: 'The application key is not valid.' });
  });

  it('tell how long to wait, and a client that may waits as long', async () => {
    const { apiKey } = await google.service.createApplication('slow', 1);
    const three = (options: Partial<ClientOptions>) => {
      const slow = clientWith({ apiKey, ...options });
      return Promise.allSettled([1, 2, 3].map(() => slow.endUserAccounts.list()));
    };
    const rejected = (await three({ retries: 0 })).find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(rejected.reason).toMatchObject({ status: 429, code: 'RateLimited', retryAfterSeconds: expect.any(Number) });
    expect((await three({ retries: 9 })).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'));
  });

  it('are the reason of the caller when that is who ends the request', async () => {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    expect(await failureOf(client.events.listAll({ endUserAccountId, calendarId: ADA }, { signal }).next())).toBe(
      reason,
    );
  });
});

describe('webhooks', () => {
  let worker: WorkerUnderTest;

  beforeAll(async () => {
    const { env } = google.service;
    worker = await runWorker(env['DATABASE_URL']!, env);
    await eventually('the worker is ready', async () => ((await worker.probe('ready')) === 200 ? true : undefined));
  });
  afterAll(() => worker?.stop());

  it('are delivered, verified, with the old secret and the new one, sent again, and ended', async () => {
    const webhookUrl = receiver.endpoint('/calendar');
    const calendarId = ADA;
    const made = await client.calendarSubscriptions.create({ endUserAccountId }, { calendarId, webhookUrl });
    const endpointId = made.webhookSubscriptionId;
    const subscriptions = await all(client.calendarSubscriptions.listAll({ endUserAccountId, limit: 1 }));
    expect(subscriptions).toMatchObject([{ id: endpointId, calendarId, url: webhookUrl }]);

    const { messageId } = await client.webhookEndpoints.test({ endpointId });
    const [first] = await receiver.receives(1, '/calendar');
    const verified = ({ body, headers }: Receipt, secret: string | string[]) =>
      verifyWebhook({ body, headers, secret });
    expect(await verified(first!, made.endpointSecret)).toEqual({
      id: messageId,
      sentAt: expect.any(Date),
      body: { eventType: 'webhook.test', timestamp: expect.any(String) },
    });
    const forged = { ...first!, body: Buffer.from(`${first!.body.toString()} `) };
    expect(await failureOf(verified(forged, made.endpointSecret))).toBeInstanceOf(WebhookVerificationError);

    const { endpointSecret } = await client.webhookEndpoints.rotateSecret({ endpointId }, { overlapSeconds: 600 });
    await client.events.create({ endUserAccountId, calendarId }, planned('Told'));
    const received = (await receiver.receives(2, '/calendar')).at(-1)!;
    for (const secret of [made.endpointSecret, endpointSecret, ['whsec_b3RoZXI=', endpointSecret]]) {
      expect((await verified(received, secret)).body.eventType).toBe('calendar.event.changed');
    }

    const messages = await all(client.webhookEndpoints.allMessages({ endpointId, limit: 1 }));
    expect(messages.map(({ eventType }) => eventType)).toEqual(['calendar.event.changed', 'webhook.test']);
    const delivered = () => client.webhookEndpoints.attempts({ endpointId, messageId });
    const attempts = await eventually('the attempt is noted', async () => {
      const found = await delivered();
      return found[0]?.status === 204 ? found : undefined;
    });
    expect(attempts).toMatchObject([{ number: 1, status: 204, failure: null }]);
    expect(await client.webhookEndpoints.resend({ endpointId, messageId })).toEqual({ success: true });
    const since = '2026-01-01T00:00:00Z';
    expect(await client.webhookEndpoints.recover({ endpointId }, { since })).toEqual({ recovered: 0 });
    const ended = { endUserAccountId, subscriptionId: endpointId };
    expect(await client.calendarSubscriptions.delete(ended)).toEqual({ success: true });
  });

  it('about accounts go to endpoints of the application', async () => {
    const url = receiver.endpoint('/accounts');
    const made = await client.webhookEndpoints.create({ url, eventTypes: ['enduseraccount.deleted'] });
    const here = { endpointId: made.id };
    expect(await all(client.webhookEndpoints.listAll())).toMatchObject([{ id: made.id, url }]);
    expect(await client.webhookEndpoints.update(here, { rateLimit: 5 })).toMatchObject({ rateLimit: 5 });
    expect(await client.webhookEndpoints.enable(here)).toMatchObject({ disabledAt: null });
    const { accountId } = await google.connected('hedy@example.test');
    await client.endUserAccounts.delete({ endUserAccountId: accountId });
    const [received] = await receiver.receives(1, '/accounts');
    const { body } = await verifyWebhook({ ...received!, secret: made.endpointSecret });
    expect(body).toMatchObject({ eventType: 'enduseraccount.deleted', endUserAccountId: accountId });
    expect(await client.webhookEndpoints.delete(here)).toEqual({ success: true });
    expect(await failureOf(client.webhookEndpoints.get(here))).toMatchObject({ status: 404 });
  });
});
