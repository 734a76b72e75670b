import { hash } from 'node:crypto';
import { Operator } from '../../support/operator.js';
import { OperatorBrowser } from '../../support/operator-browser.js';
import { operatorSession } from '../../support/operator-session.js';
import { asAdmin } from '../../support/postgres.js';
import { startAnotherApi, startService, type Answer, type Service } from '../../support/service.js';

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a small engine that counts' };

let service: Service;
let ada: OperatorBrowser;

beforeAll(async () => {
  service = await startService({ TRUST_PROXY: '1', RATE_LIMIT_RPS: '100000' });
  ada = new OperatorBrowser(service, '198.51.100.1');
  const operator = Operator.start(service.env);
  try {
    const invitation = { email: ADA.email, role: 'admin' };
    const { link } = await operator.call<{ link: string }>('operatorInvitations', 'invite', invitation);
    const body = { token: new URL(link).hash.slice(1), name: ADA.name, password: ADA.password };
    expect((await ada.call('POST', '/invitations/accept', { body })).status).toBe(200);
  } finally {
    await operator.stop();
  }
});

afterAll(async () => service?.stop());

async function rows<T = any>(text: string, values: unknown[] = []): Promise<T[]> {
  return asAdmin(service.adminDatabaseUrl, async (admin) => (await admin.query(text, values)).rows as T[]);
}

const outcome = ({ status, body }: Answer): unknown => [status, body?.code ?? null];
const secretHash = (browser: OperatorBrowser) => hash('sha256', browser.secret!, 'buffer');

const audited = (action: string) =>
  rows(`select actor, subject, request_id from audit_entry where action = $1 order by id`, [action]);

/** As if the operator had signed in so many minutes ago, and worked since. */
const authenticatedMinutesAgo = (minutes: number) =>
  rows(`update operator_session set authenticated_at = now() - make_interval(mins => $2) where secret_hash = $1`, [
    ...[secretHash(ada), minutes],
  ]);

describe('who it is is asked for once more', () => {
  const KEY = { name: 'server', expires: '7', scopes: ['read'] };
  const actions: [string, () => Promise<Answer>, number][] = [
    [
      'an API key is shown',
      () => ada.call('POST', `/applications/${service.applicationId}/apiKeys`, { body: KEY }),
      200,
    ],
    ['an admin is invited', () => invite('admin'), 200],
    ['somebody is made an admin', () => makeAdmin(), 404],
    ['the single sign-on is linked', () => ada.call('POST', '/sign-on/link', { body: {} }), 404],
    ['a secret is rotated', () => ada.call('POST', `/endpoints/${NOBODY}/rotateSecret`, { body: {} }), 404],
  ];
  const NOBODY = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5';
  const invite = (role: string) =>
    ada.call('POST', '/invitations', { body: { email: `${role}-to-be@example.com`, role } });
  const makeAdmin = () => ada.call('PATCH', `/operators/${NOBODY}`, { body: { role: 'admin' } });

  it.each(actions)('before %s, five minutes after the last time', async (_, act, done) => {
    await authenticatedMinutesAgo(5);
    const keys = await rows('select from api_key');
    expect(outcome(await act())).toEqual([403, 'ReauthenticationRequired']);
    expect(await rows('select from api_key')).toHaveLength(keys.length);
    const authenticated = await ada.call('POST', '/session/reauthenticate', { body: { password: ADA.password } });
    expect([authenticated.status, authenticated.body.operator.email]).toEqual([200, ADA.email]);
    expect((await act()).status).toBe(done);
    await authenticatedMinutesAgo(4);
    expect((await act()).status).toBe(done);
  });

  it('and not for what gives nobody more than they have', async () => {
    await authenticatedMinutesAgo(60);
    expect((await invite('viewer')).status).toBe(200);
    const renamed = { body: { name: 'Ada L.' } };
    const [{ id }] = (await ada.call('GET', '/operators')).body.data;
    expect((await ada.call('PATCH', `/operators/${id}`, renamed)).status).toBe(200);
  });
});

describe('the proof', () => {
  const authenticate = (password: string, browser = ada) =>
    browser.call('POST', '/session/reauthenticate', { body: { password } });

  it('renews the secret of the session, which goes on; what was known of it before opens nothing', async () => {
    await authenticatedMinutesAgo(60);
    const before = { secret: ada.secret!, csrfToken: ada.csrfToken };
    const { body } = await ada.call('GET', '/session');
    expect((await authenticate(ADA.password)).body.endsAt).toBe(body.endsAt);
    expect([ada.secret === before.secret, ada.csrfToken === before.csrfToken]).toEqual([false, false]);
    const stolen = Object.assign(new OperatorBrowser(service, '198.51.100.2'), before);
    expect([await stolen.isIn(), await ada.isIn()]).toEqual([false, true]);
    const [entry] = await rows(`select actor, subject from audit_entry where action = 'operator.reauthenticated'
      order by id desc limit 1`);
    expect(entry).toEqual({ actor: `operator:${ADA.email}`, subject: `operator:${ADA.email}` });
  });

  it('is no easier to guess than at the sign-in', async () => {
    await authenticatedMinutesAgo(60);
    const responses: unknown[] = [];
    for (let n = 0; n < 6; n += 1) responses.push(outcome(await authenticate(`guess ${n}`)));
    expect(responses.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => [400, 'ValidationFailed']));
    expect(responses[5]).toEqual([429, 'RateLimited']);
    expect(await ada.isIn()).toBe(true);
    await rows('delete from operator_sign_in_failure');
  });

  it('is not had by a session that another one began, or by who has no session', async () => {
    await authenticatedMinutesAgo(60);
    const other = new OperatorBrowser(service, '198.51.100.3');
    expect(outcome(await authenticate(ADA.password, other))).toEqual([401, 'Forbidden']);
    await other.signIn(ADA.email, ADA.password);
    const link = () => ada.call('POST', '/sign-on/link', { body: {} });
    expect(outcome(await link())).toEqual([403, 'ReauthenticationRequired']);
  });

  it('by single sign-on needs one', async () => {
    const response = await ada.call('POST', '/sign-on/reauthenticate', { body: {} });
    expect(outcome(response)).toEqual([404, 'NotFound']);
  });

  it('of a session that an older version began is its beginning', async () => {
    await rows(
      `update operator_session set authenticated_at = null, created_at = now() - interval '6 minutes'
      where secret_hash = $1`,
      [secretHash(ada)],
    );
    const link = () => ada.call('POST', '/sign-on/link', { body: {} });
    expect(outcome(await link())).toEqual([403, 'ReauthenticationRequired']);
    await rows(`update operator_session set created_at = now() where secret_hash = $1`, [secretHash(ada)]);
    expect(outcome(await link())).toEqual([404, 'NotFound']);
  });
});

describe('N60 the own sessions', () => {
  const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const list = async (of = ada) => (await of.call('GET', '/sessions')).body.data as any[];
  const authenticate = () => ada.call('POST', '/session/reauthenticate', { body: { password: ADA.password } });

  async function signedIn(network: string, userAgent = FIREFOX): Promise<OperatorBrowser> {
    const there = new OperatorBrowser(service, network);
    const body = { email: ADA.email, password: ADA.password };
    await there.call('POST', '/session', { body, headers: { 'user-agent': userAgent } });
    return there;
  }

  beforeEach(async () => {
    expect((await authenticate()).status).toBe(200);
    expect((await ada.call('DELETE', '/sessions')).status).toBe(204);
  });

  it('are listed with device, network and times, the latest first', async () => {
    const other = await signedIn('2001:db8:5:6::7');
    await rows(`update operator_session set last_used_at = now() - interval '2 minutes' where secret_hash = $1`, [
      secretHash(other),
    ]);
    expect(await other.isIn()).toBe(true);
    const listed = await list();
    expect(listed).toEqual([
      {
        ...{ id: expect.stringMatching(/^[\w-]{22}$/), device: 'Firefox on Linux', network: '2001:db8:5:6::/64' },
        ...{ createdAt: expect.any(String), lastUsedAt: expect.any(String), isCurrent: false },
      },
      expect.objectContaining({ isCurrent: true, network: ada.address }),
    ]);
    expect(Date.now() - Date.parse(listed[0].lastUsedAt)).toBeLessThan(60_000);
    expect(Date.parse(listed[0].createdAt)).toBeGreaterThan(Date.parse(listed[1].createdAt));
    expect((await list(other)).map(({ isCurrent }) => isCurrent)).toEqual([true, false]);
  });

  it('are listed without what opens them, or what is kept of that', async () => {
    const other = await signedIn('198.51.100.7', '<script>alert(1)</script> 2001:db8::1');
    const response = await ada.call('GET', '/sessions');
    expect(response.body.data[0]).toMatchObject({ device: null, network: '198.51.100.7' });
    const text = JSON.stringify([response.body, [...response.headers]]);
    for (const { secret, csrfToken } of [ada, other]) {
      const kept = hash('sha256', secret!, 'buffer');
      const forms = (['hex', 'base64', 'base64url'] as const).map((form) => kept.toString(form));
      for (const form of [secret!, csrfToken, ...forms, ...forms.map((whole) => whole.slice(0, 12))]) {
        expect(text).not.toContain(form);
      }
    }
  });

  it('end one by one, at once and in every process', async () => {
    const second = await startAnotherApi(service.env);
    try {
      const other = await signedIn('198.51.100.7');
      other.service = { baseUrl: second.baseUrl, env: service.env };
      expect(await other.isIn()).toBe(true);
      const [theirs, mine] = await list();
      expect(outcome(await ada.call('DELETE', `/sessions/${mine.id}`))).toEqual([409, 'Conflict']);
      expect((await ada.call('DELETE', `/sessions/${theirs.id}`)).status).toBe(204);
      expect(outcome(await other.call('GET', '/session'))).toEqual([401, 'Forbidden']);
      other.service = service;
      expect(outcome(await other.call('GET', '/session'))).toEqual([401, 'Forbidden']);
      expect(await list()).toEqual([expect.objectContaining({ id: mine.id, isCurrent: true })]);
      expect(outcome(await ada.call('DELETE', `/sessions/${theirs.id}`))).toEqual([404, 'NotFound']);
      expect((await audited('operator.session-ended')).at(-1)).toMatchObject({
        ...{ actor: `operator:${ADA.email}`, subject: `operator:${ADA.email}`, request_id: expect.any(String) },
      });
    } finally {
      await second.program.stop();
    }
  });

  it('end all but this one', async () => {
    const others = [await signedIn('198.51.100.7'), await signedIn('198.51.100.8', 'curl/8')];
    expect(await list()).toHaveLength(3);
    expect((await ada.call('DELETE', '/sessions')).status).toBe(204);
    expect([await others[0]!.isIn(), await others[1]!.isIn(), await ada.isIn()]).toEqual([false, false, true]);
    expect(await list()).toHaveLength(1);
    expect((await audited('operator.other-sessions-ended')).at(-1)).toMatchObject({ actor: `operator:${ADA.email}` });
  });

  it.each(['idle_until', 'ends_at'])('are those whose %s is to come', async (column) => {
    const gone = await signedIn('198.51.100.7');
    expect(await list()).toHaveLength(2);
    await rows(`update operator_session set ${column} = now() where secret_hash = $1`, [secretHash(gone)]);
    expect(await list()).toHaveLength(1);
  });

  it('that an older version began are listed with what is known of them', async () => {
    const old = await signedIn('198.51.100.7');
    await rows(
      `update operator_session set device = null, network = null, last_used_at = null, authenticated_at = null
       where secret_hash = $1`,
      [secretHash(old)],
    );
    const [listed] = await list();
    expect(listed).toMatchObject({ device: null, network: null, lastUsedAt: listed.createdAt });
  });

  it('are not seen or ended by another operator, whatever the role', async () => {
    const [mine] = await list();
    for (const role of ['admin', 'viewer'] as const) {
      const grace = await operatorSession(service, role);
      expect((await grace.call('GET', '/sessions')).body.data).toMatchObject([{ isCurrent: true }]);
      expect(outcome(await grace.call('DELETE', `/sessions/${mine.id}`))).toEqual([404, 'NotFound']);
      expect((await grace.call('DELETE', '/sessions')).status).toBe(204);
      expect(await ada.isIn()).toBe(true);
      await rows('delete from operator where email = $1', [grace.email]);
    }
  });

  it('end after a proof of now alone: who finds a browser left open does not shut its operator out', async () => {
    const other = await signedIn('198.51.100.7');
    const [{ id }] = await list();
    await authenticatedMinutesAgo(5);
    for (const path of ['/sessions', `/sessions/${id}`]) {
      expect(outcome(await ada.call('DELETE', path))).toEqual([403, 'ReauthenticationRequired']);
    }
    expect(await other.isIn()).toBe(true);
    expect((await authenticate()).status).toBe(200);
    expect((await ada.call('DELETE', `/sessions/${id}`)).status).toBe(204);
    expect(await other.isIn()).toBe(false);
  });
});
