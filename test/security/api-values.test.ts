import {
  calendarObject,
  connectAccount,
  startFakeServer,
  type ConnectedAccount,
} from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { FaultServer } from '../support/fault-server.js';
import { rawRequest } from '../support/raw-http.js';
import { joinService, type Answer, type Service } from '../support/service.js';

let fake: FakeCalDav;
let trap: FaultServer;
let service: Service;
let account: ConnectedAccount;
let events: string;

beforeAll(async () => {
  fake = await startFakeServer('mine');
  trap = await FaultServer.start();
  service = await joinService();
  account = await connectAccount(service, fake);
  events = `/v1/events/${account.accountId}/${account.calendarId}`;
});

afterAll(async () => {
  await service?.stop();
  await Promise.all([fake.close(), trap.close()]);
});

const port = () => Number(new URL(service.baseUrl).port);
const rejected = ({ status, body }: Answer): unknown[] => [status, body.code];
const WINDOW = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z' };
const START = { dateTime: '2033-01-15T09:00:00Z' };

/** The shortest of a few tries, milliseconds: what the request costs, whatever else the machine does. */
async function cost(request: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const startedAt = performance.now();
    await request();
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}

describe('N16 tokens', () => {
  let otherCalendar: string;
  let pageToken: string;
  let syncToken: string;

  beforeAll(async () => {
    const made = await account.call('POST', 'calendars', '', { body: { name: 'Other' } });
    otherCalendar = `/v1/events/${account.accountId}/${made.body.id}`;
    const mine = fake.store.calendars.get('/calendars/alice/mine/');
    for (const name of ['a', 'b', 'c']) mine?.put(`${name}.ics`, calendarObject(name, name));
    pageToken = (await service.call('GET', events, { query: { ...WINDOW, pageSize: 1 } })).body.nextPageToken;
    syncToken = (await service.call('GET', events)).body.nextSyncToken;
    expect([typeof pageToken, typeof syncToken]).toEqual(['string', 'string']);
  });

  it('work where they belong', async () => {
    expect((await service.call('GET', events, { query: { pageToken } })).status).toBe(200);
    expect((await service.call('GET', events, { query: { syncToken } })).status).toBe(200);
  });

  it('are refused in another calendar, another account, another kind of read, and for another query', async () => {
    const second = await service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, {
      body: { email: fake.login.username, password: fake.login.password, serverUrl: `${fake.url}principals/alice/` },
    });
    expect(second.status).toBe(200);
    expect(second.body.id).not.toBe(account.accountId);
    const otherAccount = events.replace(account.accountId, second.body.id);
    const occurrences = `${events}/${account.eventId}/occurrences`;
    for (const path of [otherCalendar, otherAccount, occurrences, `/v1/calendars/${account.accountId}`]) {
      for (const query of [{ syncToken }, { pageToken }]) {
        if (path === occurrences && query.pageToken !== undefined) Object.assign(query, WINDOW);
        expect([path, ...rejected(await service.call('GET', path, { query }))]).toEqual([
          path,
          400,
          'PageTokenInvalid',
        ]);
      }
    }
    for (const query of [
      { pageToken: syncToken },
      { syncToken: pageToken },
      { pageToken, startDateTime: '2020-01-01', endDateTime: '2040-01-01' },
      { pageToken, search: 'x' },
    ]) {
      expect(rejected(await service.call('GET', events, { query }))).toEqual([400, 'PageTokenInvalid']);
    }
    const accountsToken = await service.call('GET', '/v1/endUserAccounts', { query: { limit: 1 } });
    for (const query of [{ pageToken: accountsToken.body.nextPageToken }, { pageToken }]) {
      const path = query.pageToken === pageToken ? '/v1/endUserAccounts' : events;
      expect(rejected(await service.call('GET', path, { query }))).toEqual([400, 'PageTokenInvalid']);
    }
  });

  it('are refused when one bit differs, cut off, lengthened, empty, spelled otherwise or very long', async () => {
    const bytes = Buffer.from(syncToken, 'base64url');
    const forged = ['', 'x', '%', '=', syncToken.slice(0, -1), `${syncToken}A`, `${syncToken}=`, ` ${syncToken}`];
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      forged.push(flipped.toString('base64url'));
    }
    forged.push('A'.repeat(16_000), 'A'.repeat(30_000), `${syncToken}${'A'.repeat(20_000)}`);
    const before = fake.requests.length;
    for (const token of forged) {
      const response = await service.call('GET', events, { query: { syncToken: token } });
      expect(rejected(response)).toEqual([400, 'PageTokenInvalid']);
    }
    expect(fake.requests).toHaveLength(before);
    expect((await service.call('GET', events, { query: { syncToken: 'A'.repeat(1_000_000) } })).status).toBe(431);
  });

  it('say nothing: no path, id or time can be read from them', () => {
    for (const token of [pageToken, syncToken]) {
      const text = Buffer.from(token, 'base64url').toString('latin1');
      for (const inner of ['calendars', 'alice', 'http', account.accountId, '2033']) {
        expect(text.slice(8)).not.toContain(inner);
      }
      // A key of JSON. Two characters alone, such as an opened object, are among random bytes now and then.
      expect(text).not.toMatch(/"\w+":/);
    }
  });
});

describe('N17 zones and windows', () => {
  it.each([
    { timeZone: '../../etc/passwd' },
    { timeZone: '/etc/localtime' },
    { timeZone: 'Europe/Berlin\u0000' },
    { timeZone: 'Europe/../Europe/Berlin' },
    { timeZone: 'E'.repeat(10_240) },
    { timeZone: '__proto__' },
    { timeZone: '' },
    { startDateTime: '2033-02-01', endDateTime: '2033-01-01' },
    { startDateTime: '2033-02-01', endDateTime: '2033-02-01' },
    { startDateTime: '9999-01-01T00:00:00Z', endDateTime: '9999-12-31T23:59:59Z' },
    { startDateTime: '+275760-09-13T00:00:00Z', endDateTime: '+275760-09-13T00:00:01Z' },
    { startDateTime: '-000001-01-01T00:00:00Z', endDateTime: '2033-01-01' },
    { startDateTime: '2000-01-01', endDateTime: '2100-01-01' },
    { startDateTime: '1'.repeat(10_000), endDateTime: '2033-01-01' },
    { startDateTime: 'yesterday', endDateTime: '2033-01-01' },
    { startDateTime: '2033-02-30', endDateTime: '2033-04-01' },
  ] as Record<string, string>[])('%j is refused at once', async (query) => {
    const parts = { startDateTime: '2033-01-01', endDateTime: '2033-02-01', ...query };
    const freeBusy = { timeZone: 'UTC', calendarIds: [account.calendarId], ...parts };
    const requests = [
      () => service.call('GET', events, { query: { expandRecurrences: true, ...parts } }),
      () => service.call('GET', `${events}/${account.eventId}/occurrences`, { query: parts }),
      () => service.call('POST', `/v1/freeBusy/${account.accountId}`, { body: freeBusy }),
    ];
    for (const request of requests) {
      expect(rejected(await request())).toEqual([400, 'ValidationFailed']);
      expect(await cost(request)).toBeLessThan(50);
    }
  });

  it.each(['../../etc/passwd', 'E'.repeat(10_240), 'Mars/Olympus', '\u0000'])(
    'the zone %j is refused on write, by name',
    async (timeZone) => {
      const start = { dateTime: '2033-01-15T09:00:00', timeZone };
      const response = await service.call('POST', events, { body: { title: 'x', start } });
      expect(rejected(response)).toEqual([400, 'ValidationFailed']);
      expect(response.body.details[0].path).toBe('start.timeZone');
      expect(JSON.stringify(response.body).length).toBeLessThan(1_000);
    },
  );
});

describe('N18 searches', () => {
  const TEXTS = [
    `' or '1'='1`,
    `'; drop table end_user_account; --`,
    '%',
    '_',
    '\\',
    '%_%',
    '.*',
    '(a+)+$',
    '[',
    '$1',
    '{{7*7}}',
    '\u202e',
    'İ',
    'ß',
  ];

  beforeAll(async () => {
    fake.switches.authentication = 'none';
    for (const [index, text] of TEXTS.entries()) {
      const body = { email: `user-${index}`, password: 'x', serverUrl: fake.url, externalId: `<${text}>` };
      const path = `/v1/basicAuth/connect/${service.applicationId}/caldav`;
      expect((await service.call('POST', path, { body })).status).toBe(200);
      fake.store.calendars
        .get('/calendars/alice/mine/')
        ?.put(
          `t${index}.ics`,
          calendarObject(`t${index}`, `<${text.replaceAll('\\', '\\\\').replaceAll(';', '\\;')}>`),
        );
    }
    fake.switches.authentication = 'basic';
  });

  it.each(TEXTS)('take %p literally, among accounts and among events', async (text) => {
    const externalIds = await service.call('GET', '/v1/endUserAccounts', { query: { search: `<${text}>` } });
    expect(externalIds.body.data.map((found: { externalId: string }) => found.externalId)).toEqual([`<${text}>`]);
    const titles = await service.call('GET', events, { query: { search: `<${text}>` } });
    expect(titles.body.data.map(({ title }: { title: string }) => title)).toEqual([`<${text}>`]);
    expect(await cost(() => service.call('GET', '/v1/endUserAccounts', { query: { search: text } }))).toBeLessThan(50);
  });

  it('cost no more for texts made to backtrack', async () => {
    for (const search of ['a'.repeat(300) + '!', '%'.repeat(300), '_%'.repeat(150), '\\'.repeat(299)]) {
      const request = () => service.call('GET', '/v1/endUserAccounts', { query: { search } });
      expect((await request()).body.data).toEqual([]);
      expect(await cost(request)).toBeLessThan(50);
    }
  });
});

describe('N19 ids', () => {
  const idOf = (text: string) => Buffer.from(text).toString('base64url').replaceAll('_', '~');

  it('cannot leave their segment: the provider sees its own paths only', async () => {
    const hosts = [`http://127.0.0.1:${trap.port}/`, `//127.0.0.1:${trap.port}/`, `@127.0.0.1:${trap.port}/`];
    const texts = [
      '../',
      '..',
      '.',
      '../../principals/alice/',
      '/etc/passwd/',
      '/calendars/alice/mine/../../../secret/',
      '/calendars/alice/../bob/',
      '/calendars/alice/mine/?x=y/',
      '/calendars/alice/mine/#x/',
      '/calendars/alice/mine/ HTTP/1.1\r\nHost: evil/',
      '\\..\\..\\',
      'a/b.ics',
      '../other.ics',
      'first.ics?export',
      'first.ics#x',
      'first.ics\r\nX-Injected: yes',
      '%2e%2e%2fsecret',
      '%2e%2e/',
      ...hosts,
      ...hosts.map((host) => `/calendars/alice/mine/${host}`),
    ];
    const spellings = [
      ...texts.map(encodeURIComponent),
      ...texts.map(idOf),
      '%2e%2e',
      '%2e%2e%2f',
      '..%2f',
      '%5c',
      '%0d%0a',
      '%3f',
      '%23',
    ];
    const { accountId, calendarId, eventId } = account;
    const before = fake.requests.length;
    for (const id of spellings) {
      for (const [method, path] of [
        ['GET', `/v1/calendars/${accountId}/${id}`],
        ['GET', `/v1/events/${accountId}/${id}`],
        ['GET', `/v1/events/${accountId}/${calendarId}/${id}`],
        ['DELETE', `/v1/events/${accountId}/${calendarId}/${id}`],
        ['DELETE', `/v1/calendars/${accountId}/${id}`],
        ['GET', `/v1/events/${id}/${calendarId}/${eventId}`],
      ]) {
        const { status, body } = await rawRequest(port(), [
          `${method} /api${path} HTTP/1.1`,
          'host: test',
          'connection: close',
          `x-api-key: ${service.apiKey}`,
        ]);
        expect([path, status]).toEqual([path, expect.any(Number)]);
        expect([400, 404]).toContain(status);
        // A request's id may hold these digits by chance.
        expect(body.replace(/"requestId":"[^"]*"/, '')).not.toContain(String(trap.port));
      }
    }
    const paths = /^\/(\.well-known\/caldav|principals\/alice\/|calendars\/alice\/(mine\/([^/?#\s]+)?)?)?$/;
    for (const request of fake.requests.slice(before)) {
      expect(request.path).toMatch(paths);
      expect(request.path).not.toMatch(/%2f|\/\.\.?(\/|$)/i);
      expect(request.headers).not.toHaveProperty('x-injected');
      expect(request.authority).toBe(fake.authorities[0]);
    }
    expect(trap.connectionCount).toBe(0);
    expect((await account.call('GET', 'events', `/${calendarId}/${eventId}`)).status).toBe(200);
  });

  it('with such characters in their names are one encoded segment', async () => {
    const calendar = fake.store.calendars.get('/calendars/alice/mine/');
    const name = 'a?b#c d%2e..é.ics';
    calendar?.put(name, calendarObject('odd', 'Odd name'));
    const found = await service.call('GET', events, { query: { search: 'Odd name' } });
    const [event] = found.body.data;
    const before = fake.requests.length;
    expect((await service.call('GET', `${events}/${event.id}`)).body.title).toBe('Odd name');
    expect((await service.call('DELETE', `${events}/${event.id}`)).status).toBe(200);
    const touched = fake.requests.slice(before).filter(({ method }) => method === 'GET' || method === 'DELETE');
    expect(touched.length).toBeGreaterThan(0);
    for (const { path } of touched) {
      expect(path).toMatch(/^\/calendars\/alice\/mine\/[^/?#]+$/);
      expect(decodeURIComponent(path.split('/').at(-1) as string)).toBe(name);
    }
  });
});

describe('N20 stored text', () => {
  it.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '</title><svg onload=alert(1)>',
    '=HYPERLINK("http://evil.test","x")',
    '\u2028\u2029<!--',
  ])('%j comes back as JSON text that no browser takes for a page', async (title) => {
    const made = await service.call('POST', events, {
      body: { title, description: title, location: title, start: START },
    });
    const read = await service.call('GET', `${events}/${made.body.id}`, { headers: { accept: 'text/html,*/*' } });
    expect(read.body).toMatchObject({ title, description: title, location: title });
    expect(read.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(read.headers.get('x-content-type-options')).toBe('nosniff');
    expect(read.headers.get('content-security-policy')).toContain("default-src 'none'");
    const rejection = await service.call('GET', events, {
      query: { timeZone: title },
      headers: { accept: 'text/html' },
    });
    expect(rejection.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(rejection.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
