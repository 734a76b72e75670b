import { collectionQuery } from 'tsdav';
import { DomainError } from '#domain/system';
import { appleFlavor } from '../../../libs/providers/apple/definition.js';
import type { ReportBuilder } from '../../../libs/providers/caldav/dav/dav-client.js';
import { DavStatusError } from '../../../libs/providers/caldav/dav/dav-errors.js';
import { CalDavBench, failure } from '../../support/caldav-account.js';
import { FakeCalDav, type FakeCalDavOptions } from '../../support/fake-caldav.js';

const ETAG = '{DAV:}getetag';
const EVENT = Buffer.from('BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n');
const CLOSED = 'http://127.0.0.2:1';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/** A connected account whose requests so far are forgotten. */
async function start(options: FakeCalDavOptions = {}, signal = AbortSignal.timeout(60_000)) {
  const fake = await FakeCalDav.start(options);
  const calendar = fake.addCalendar('work', 'Work');
  const bench = new CalDavBench(fake);
  open.push(fake, bench);
  const { client } = await bench.connection({ signal });
  fake.requests.length = 0;
  bench.budget.taken = 0;
  return { fake, bench, calendar, client, href: calendar.path };
}

describe('the DAV client', () => {
  it('sends explicit depths, UTF-8 XML and pre-emptive credentials', async () => {
    const { fake, client, href } = await start();
    await client.propfind(href, '0', [ETAG]);
    await client.propfind(href, '1', [ETAG]);
    expect(fake.requests.map(({ headers }) => headers.depth)).toEqual(['0', '1']);
    expect(fake.requests[0]?.headers).toMatchObject({
      'content-type': 'application/xml; charset=utf-8',
      authorization: expect.stringMatching(/^Basic /),
    });
  });

  it('takes every request, repeated ones included, from the budget of the account', async () => {
    const { bench, client, href, fake } = await start({ throttle: null });
    fake.switches.throttle = { status: 503, retryAfter: '0', times: 1 };
    await client.propfind(href, '0', [ETAG]);
    expect(bench.budget.taken).toBe(2);
  });

  it('puts with a precondition and gives what the server said of the result', async () => {
    const { client, calendar, href } = await start({ scheduleTags: true });
    const created = await client.put(`${href}1.ics`, EVENT, { ifNoneMatch: '*' });
    expect(created).toMatchObject({ status: 201, etag: calendar.objects.get('1.ics')?.etag, scheduleTag: '"s-1"' });
    expect((await client.put(`${href}1.ics`, EVENT, { ifNoneMatch: '*' })).status).toBe(412);
    expect((await client.put(`${href}1.ics`, EVENT, { ifMatch: created.etag! })).status).toBe(204);
    expect((await client.put(`${href}1.ics`, EVENT, { ifScheduleTagMatch: '"s-1"' })).status).toBe(412);
    const read = await client.get(`${href}1.ics`);
    expect(read.body.equals(EVENT)).toBe(true);
    expect(Date.parse(read.lastModified ?? '')).not.toBeNaN();
    expect((await client.delete(`${href}1.ics`, { ifMatch: '"old"' })).status).toBe(412);
    expect((await client.delete(`${href}1.ics`, { scheduleReply: false })).status).toBe(204);
  });

  it('says Schedule-Reply: F only when asked to', async () => {
    const { client, fake, href } = await start();
    await client.delete(`${href}1.ics`, {});
    await client.delete(`${href}1.ics`, { scheduleReply: false });
    expect(fake.requests.map(({ headers }) => headers['schedule-reply'])).toEqual([undefined, 'F']);
  });

  it.each([412, 403, 507])('finds the %i that a 207 hides', async (status) => {
    const { client, fake, href } = await start({ writeFailure: { status, multistatus: true } });
    expect((await client.put(`${href}1.ics`, EVENT, {})).status).toBe(status);
    expect((await client.delete(`${href}1.ics`, {})).status).toBe(status);
    expect(fake.requestsOf('PUT')).toHaveLength(1);
  });

  it('reads the precondition of a refusal', async () => {
    const precondition = '{urn:ietf:params:xml:ns:caldav}no-uid-conflict';
    const { client, href } = await start({ writeFailure: { status: 403, precondition } });
    expect(await client.put(`${href}1.ics`, EVENT, {})).toMatchObject({ status: 403, precondition });
  });

  it.each([
    [
      'behind what sabre/dav says of itself',
      '<s:exception xmlns:s="http://sabredav.org/ns">Sabre\\DAVACL\\Exception\\NeedPrivileges</s:exception><s:message xmlns:s="http://sabredav.org/ns"/><d:need-privileges/>',
    ],
    ['behind a text', '<d:responsedescription>No.</d:responsedescription><d:need-privileges/>'],
  ])('reads the precondition of a refusal %s', async (_where, content) => {
    const { client, fake, href } = await start();
    const body = `<?xml version="1.0"?><d:error xmlns:d="DAV:">${content}</d:error>`;
    fake.switches.intercept = ({ method }) => (method === 'PUT' ? { status: 403, body } : undefined);
    expect((await client.put(`${href}1.ics`, EVENT, {})).precondition).toBe('{DAV:}need-privileges');
  });

  it('throws the status of a report that is no multistatus', async () => {
    const { client, href } = await start();
    const build: ReportBuilder = (to) =>
      collectionQuery({ ...to, body: { x: { _attributes: { 'xmlns:d': 'DAV:' } } } });
    await expect(client.report(`${href}nothing/there/`, '0', build)).rejects.toEqual(
      new DavStatusError('REPORT', 404, null),
    );
    await expect(client.report(href, '0', build)).rejects.toMatchObject({
      status: 403,
      precondition: '{DAV:}supported-report',
    });
  });

  it('gives hrefs of another origin no path', async () => {
    const { client, fake, href } = await start({ foreignHrefs: ['https://evil.test/x', '//evil.test/y'] });
    const { responses } = await client.propfind(fake.homePath, '1', [ETAG]);
    expect(responses.map(({ path }) => path)).toEqual([fake.homePath, href, null, null]);
    expect(client.pathOf('https://evil.test/x')).toBeNull();
    expect(client.pathOf(`${fake.homeOrigin}/a%40b`)).toBe('/a@b');
  });

  it('N28 sends nothing to an href of another origin', async () => {
    const trap = await FakeCalDav.start({ host: '127.0.0.2' });
    open.push(trap);
    const { client } = await start();
    expect((await failure(client.get(`${trap.url}x.ics`))).code).toBe('ProviderUnavailable');
    expect(trap.requests).toHaveLength(0);
  });
});

describe('redirects in operation', () => {
  it('are followed inside of the origin by reads', async () => {
    const { client, fake, href } = await start();
    fake.switches.redirects = { '/moved/': { status: 301, location: href } };
    expect((await client.propfind('/moved/', '0', [ETAG])).responses[0]?.path).toBe(href);
  });

  it.each([
    [301, 1],
    [302, 1],
    [303, 0],
    [307, 1],
    [308, 1],
  ] as const)('a %i is followed by %i write', async (status, writes) => {
    const { client, fake, href, calendar } = await start();
    fake.switches.redirects = { '/moved.ics': { status, location: `${href}1.ics` } };
    const response = await client.put('/moved.ics', EVENT, {});
    expect(calendar.objects.size).toBe(writes);
    expect(response.status).toBe(writes === 1 ? 201 : status);
  });

  it.each([301, 307] as const)(
    'N28 a %i to another origin is not followed, and gets no credentials',
    async (status) => {
      const trap = await FakeCalDav.start({ host: '127.0.0.2', authentication: 'none' });
      open.push(trap);
      const { client, fake } = await start();
      fake.switches.redirects = { '/moved.ics': { status, location: `${trap.url}1.ics` } };
      expect((await client.get('/moved.ics')).status).toBe(status);
      expect((await client.put('/moved.ics', EVENT, {})).status).toBe(status);
      expect(trap.requests).toHaveLength(0);
    },
  );

  it('N25 end in an error when they go in circles', async () => {
    const { client, fake } = await start();
    fake.switches.redirects = { '/a': { status: 302, location: '/b' }, '/b': { status: 302, location: '/a' } };
    expect((await failure(client.get('/a'))).code).toBe('ProviderUnavailable');
    expect(fake.requests).toHaveLength(2);
  });
});

describe('401 in operation', () => {
  it('is confirmed once on the principal, then the credentials are rejected', async () => {
    const { client, fake, href } = await start();
    fake.switches.unauthorized = Infinity;
    expect((await failure(client.get(`${href}1.ics`))).code).toBe('CredentialsRejected');
    expect(fake.requests.map(({ path }) => path)).toEqual([`${href}1.ics`, fake.principalPath]);
  });

  it('is tried again when the principal lets the account in', async () => {
    const { client, fake, href, calendar } = await start();
    fake.switches.unauthorized = 1;
    expect((await client.put(`${href}1.ics`, EVENT, {})).status).toBe(201);
    expect(calendar.objects.size).toBe(1);
  });

  it('of one resource only is Forbidden, and no verdict on the credentials', async () => {
    const { client, fake, href } = await start();
    fake.switches.intercept = ({ path }) => (path === href ? { status: 401 } : undefined);
    expect((await failure(client.propfind(href, '0', [ETAG]))).code).toBe('Forbidden');
  });

  it('is confirmed on the root for APPLE', async () => {
    const login = { username: 'alice@icloud.test', password: 'abcd-efgh-ijkl-mnop' };
    const fake = await FakeCalDav.start({ partition: true, login });
    const bench = new CalDavBench(fake, appleFlavor(fake.url));
    open.push(fake, bench);
    const { client } = await bench.connection();
    fake.requests.length = 0;
    fake.switches.unauthorized = Infinity;
    expect((await failure(client.get('/x.ics'))).code).toBe('CredentialsRejected');
    expect(fake.requests.map(({ authority, path }) => [authority, path])).toEqual([
      [fake.authorities[1], '/x.ics'],
      [fake.authorities[0], '/'],
    ]);
  });

  it('costs Digest accounts no extra request once the nonce is known', async () => {
    const { client, fake, href } = await start({ authentication: 'digest-sha256' });
    await client.get(`${href}0.ics`);
    fake.requests.length = 0;
    await client.get(`${href}1.ics`);
    await client.get(`${href}2.ics`);
    expect(fake.requests.every(({ headers }) => headers.authorization?.startsWith('Digest '))).toBe(true);
    expect(fake.requests).toHaveLength(2);
  });
});

describe('Digest in operation', () => {
  it('is confirmed like Basic before the credentials are rejected, though every challenge brings a new nonce', async () => {
    const { client, fake, href } = await start({ authentication: 'digest-md5' });
    await client.get(`${href}0.ics`);
    fake.login.password = 'changed';
    expect((await failure(client.get(`${href}1.ics`))).code).toBe('CredentialsRejected');
    expect(fake.requests.at(-1)?.path).toBe(fake.principalPath);
  });
});

describe('throttling', () => {
  it.each([429, 503] as const)('%i is waited for once by reads', async (status) => {
    const { client, fake, href } = await start();
    fake.switches.throttle = { status, retryAfter: '1', times: 1 };
    const startedAt = performance.now();
    await client.propfind(href, '0', [ETAG]);
    expect(performance.now() - startedAt).toBeGreaterThan(700);
    expect(fake.requests).toHaveLength(2);
  });

  it('429 twice is ProviderRateLimited with the wait', async () => {
    const { client, fake, href } = await start();
    fake.switches.throttle = { status: 429, retryAfter: '0', times: 9 };
    const error = await client.propfind(href, '0', [ETAG]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'ProviderRateLimited', retryAfterSeconds: 0 });
    expect(fake.requests).toHaveLength(2);
  });

  it('is not waited for longer than a minute', async () => {
    const { client, fake, href } = await start();
    fake.switches.throttle = { status: 503, retryAfter: '119.5', times: 9 };
    const error = await client.propfind(href, '0', [ETAG]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'ProviderUnavailable', retryAfterSeconds: 120 });
    expect(fake.requests).toHaveLength(1);
  });

  it('is not waited for by writes', async () => {
    const { client, fake, href } = await start();
    fake.switches.throttle = { status: 503, retryAfter: '0', times: 9 };
    expect((await failure(client.put(`${href}1.ics`, EVENT, {}))).code).toBe('ProviderUnavailable');
    expect(fake.requests).toHaveLength(1);
  });

  it('is not waited for past the deadline of the caller', async () => {
    const { client, fake, href } = await start({}, AbortSignal.timeout(1_500));
    fake.switches.throttle = { status: 429, retryAfter: '50', times: 9 };
    const error = await client.propfind(href, '0', [ETAG]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'ProviderRateLimited', retryAfterSeconds: 50 });
  });
});

describe('faults of the way', () => {
  it('a lost connection is tried once more by reads, not by writes', async () => {
    const { client, fake, href } = await start();
    let destroyed = 0;
    fake.switches.intercept = () => {
      destroyed += 1;
      throw new Error('lost');
    };
    expect((await failure(client.get(`${href}1.ics`))).code).toBe('ProviderUnavailable');
    expect(destroyed).toBe(2);
    expect((await failure(client.put(`${href}1.ics`, EVENT, {}))).code).toBe('ProviderUnavailable');
    expect(destroyed).toBe(3);
  });

  it('a deadline that passes is ProviderTimeout', async () => {
    const { client, fake, href } = await start({}, AbortSignal.timeout(700));
    fake.switches.intercept = () => 'hang';
    expect((await failure(client.get(`${href}1.ics`))).code).toBe('ProviderTimeout');
  });

  it('N48 an endless, a too deep and a DOCTYPE answer are cut off, in under a second', async () => {
    const { client, fake, href } = await start();
    for (const response of [
      'endless' as const,
      { status: 207, body: '<a>'.repeat(100_000) },
      { status: 207, body: `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>` },
      { status: 207, body: '<html/>' },
    ]) {
      fake.switches.intercept = () => response;
      const startedAt = performance.now();
      const error = await client.propfind(href, '0', [ETAG]).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DomainError);
      expect(error).toMatchObject({ code: 'ProviderUnavailable', provider: { retryable: false } });
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    }
  });

  it('an object over 1 MiB is cut off', async () => {
    const { client, calendar, href } = await start();
    calendar.put('big.ics', 'x'.repeat(1_100_000));
    expect(await client.get(`${href}big.ics`).catch((thrown: unknown) => thrown)).toMatchObject({
      code: 'ProviderUnavailable',
      provider: { code: 'response-too-large' },
    });
  });

  it('no error tells where it was going, or with what', async () => {
    const { client, fake, href } = await start();
    fake.switches.intercept = () => ({ status: 500, body: 'secret banner' });
    const errors = [
      await client.propfind(href, '0', [ETAG]).catch((thrown: unknown) => thrown),
      await client.get(`${CLOSED}/x`).catch((thrown: unknown) => thrown),
    ];
    for (const error of errors) {
      expect(`${(error as Error).message}`).not.toMatch(/127\.0\.0|secret|alice|correct horse/);
    }
  });
});
