// 27 s: every sign-in hashes a password by argon2, as the product does.
import { Test, type TestingModule } from '@nestjs/testing';
import { hash } from 'node:crypto';
import { OperatorInvitationRepository } from '#domain/operator';
import { KeyRing, PersistenceModule } from '#persistence';
import { OperatorBrowser } from '../../support/operator-browser.js';
import { eventually } from '../../support/processes.js';
import { asAdmin } from '../../support/postgres.js';
import { startService, type Answer, type Service } from '../../support/service.js';

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' };
const GRACE = { email: 'grace@example.com', name: 'Grace', password: 'staple battery horse' };

let service: Service;
let ports: TestingModule;
/** Signed in as Ada, an admin. */
let ada: OperatorBrowser;

beforeAll(async () => {
  service = await startService({ TRUST_PROXY: '1', RATE_LIMIT_RPS: '100000' });
  ports = await Test.createTestingModule({
    imports: [
      PersistenceModule.forRoot({
        databaseUrl: service.env['DATABASE_URL']!,
        keyRing: KeyRing.parse(service.env['ENCRYPTION_KEYS']!),
      }),
    ],
  }).compile();
  ports.enableShutdownHooks();
  ada = browser();
});

afterAll(async () => {
  await ports?.close();
  await service?.stop();
});

let networks = 0;

/** Each in a network of its own: nobody waits for what others did wrong. */
function browser(): OperatorBrowser {
  networks += 1;
  return new OperatorBrowser(service, `198.51.100.${networks}`);
}

async function rows<T = any>(text: string, values: unknown[] = []): Promise<T[]> {
  return asAdmin(service.adminDatabaseUrl, async (admin) => (await admin.query(text, values)).rows as T[]);
}

const tokenOf = (link: string): string => link.slice(link.indexOf('#') + 1);
const outcome = ({ status, body }: Answer): unknown => [status, (body as { code?: string } | null)?.code ?? null];
const withoutRequestId = ({ body }: Answer): unknown => ({ ...body, requestId: null });

/** A browser whose person has just accepted an invitation. */
async function invited(email: string, role: string, password = 'a password of theirs'): Promise<OperatorBrowser> {
  const { body } = await ada.call('POST', '/invitations', { body: { email, role } });
  const theirs = browser();
  const accepted = await theirs.call('POST', '/invitations/accept', {
    body: { token: tokenOf(body.link), name: email, password },
  });
  expect([email, accepted.status]).toEqual([email, 200]);
  return theirs;
}

async function operatorOf(email: string): Promise<{ id: string; role: string; lastSignInAt: string | null }> {
  const { body } = await ada.call('GET', '/operators');
  return body.data.find((operator: { email: string }) => operator.email === email);
}

const audited = (action: string) =>
  rows(`select actor, subject, request_id from audit_entry where action = $1 order by id`, [action]);

describe('the first start', () => {
  it('N64 has no account that anybody could know', async () => {
    expect(await rows('select from operator')).toEqual([]);
    expect((await browser().call('GET', '/welcome')).body).toEqual({
      needsSetup: true,
      hasPasswords: true,
      sso: null,
    });
    for (const [email, password] of [
      ['admin@example.com', 'admin'],
      ['admin@localhost', 'password'],
      ['root@localhost', ''],
    ] as const) {
      expect(outcome(await browser().signIn(email, password))).toEqual([403, 'Forbidden']);
    }
  });

  it('logs one link, with the token where no access log sees it, and keeps a hash of it', async () => {
    const links = await eventually('the link', () => (setupLinks().length > 0 ? setupLinks() : undefined));
    expect(links).toHaveLength(1);
    expect(links[0]).toMatch(new RegExp(`^${service.env['PUBLIC_URL']}/dashboard/setup#[\\w-]{43}$`));
    const kept = await rows('select token_hash, email, role from operator_invitation');
    const tokenHash = hash('sha256', tokenOf(links[0]!), 'buffer');
    expect(kept).toEqual([{ token_hash: tokenHash, email: null, role: 'admin' }]);
  });

  it('of many processes at once ends with one link that works: the last', async () => {
    const invitations = ports.get(OperatorInvitationRepository);
    const tomorrow = new Date(Date.now() + 86_400_000);
    const hashes = Array.from({ length: 8 }, (_, n) => hash('sha256', `start ${n}`, 'buffer'));
    const made = await Promise.all(hashes.map((tokenHash) => invitations.replaceSetupLink(tokenHash, tomorrow)));
    expect(made).toEqual(hashes.map(() => true));
    expect(await rows('select from operator_invitation')).toHaveLength(1);
    const opened = await browser().call('POST', '/invitations/open', { body: { token: tokenOf(setupLinks()[0]!) } });
    expect(outcome(opened)).toEqual([404, 'NotFound']);
  });

  it('makes the first operator by the link, once, and signs them in', async () => {
    const token = 'T'.repeat(43);
    const invitations = ports.get(OperatorInvitationRepository);
    await invitations.replaceSetupLink(hash('sha256', token, 'buffer'), new Date(Date.now() + 60_000));
    const opened = await ada.call('POST', '/invitations/open', { body: { token } });
    expect(opened.body).toEqual({ email: null, role: 'admin', expiresAt: expect.any(String) });
    const accept = (body: object) => ada.call('POST', '/invitations/accept', { body: { token, ...ADA, ...body } });
    for (const [field, value] of [
      ['email', undefined],
      ['email', 'no address'],
      ['name', ' '],
      ['password', 'too short'],
    ] as const) {
      const rejected = await accept({ [field]: value });
      expect([...(outcome(rejected) as []), rejected.body.details[0].path]).toEqual([400, 'ValidationFailed', field]);
    }
    const accepted = await accept({ email: 'Ada@Example.com' });
    expect(accepted.status).toBe(200);
    expect(accepted.body.operator).toMatchObject({ email: ADA.email, role: 'admin', hasPassword: true });
    expect(await ada.isIn()).toBe(true);
    expect(outcome(await browser().call('POST', '/invitations/open', { body: { token } }))).toEqual([404, 'NotFound']);
    expect(outcome(await accept({ email: 'eve@example.com' }))).toEqual([404, 'NotFound']);
    expect((await browser().call('GET', '/welcome')).body.needsSetup).toBe(false);
    expect(await invitations.replaceSetupLink(hash('sha256', 'late', 'buffer'), new Date())).toBe(false);
    const [{ password_hash: kept }] = (await rows('select password_hash from operator')) as [{ password_hash: string }];
    expect(kept).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  function setupLinks(): string[] {
    return service.program
      .stdout()
      .split('\n')
      .filter((line) => line.includes('no operator yet: this link creates the first one'))
      .map((line) => JSON.parse(line) as { level: unknown; setupLink: string })
      .map(({ level, setupLink }) => (level === 'warn' || level === 40 ? setupLink : `at level ${String(level)}`));
  }
});

describe('N60 a session', () => {
  it('has a cookie that goes to the operators’ API alone, over https, and to no script', async () => {
    const one = browser();
    expect((await one.signIn(ADA.email.toUpperCase(), ADA.password)).status).toBe(200);
    const [pair, ...attributes] = one.setCookie.split('; ');
    expect(pair).toMatch(/^__Secure-uc_operator=[\w-]{43}$/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Path=/api/operator', 'SameSite=Strict', 'Secure']);
    const before = one.secret;
    await one.signIn(ADA.email, ADA.password);
    expect(one.secret).not.toBe(before);
    expect((await operatorOf(ADA.email)).lastSignInAt).not.toBeNull();
  });

  it('is kept by the hash of its secret alone', async () => {
    const [{ text }] = (await rows(`select coalesce(string_agg(s::text, ''), '') as text from operator_session s`)) as [
      { text: string },
    ];
    expect(text).toContain(hash('sha256', ada.secret!));
    for (const secret of [ada.secret!, ada.csrfToken]) expect(text).not.toContain(secret);
  });

  it('is not opened by cookies that are ambiguous, malformed or somebody else’s guess', async () => {
    const cookie = `__Secure-uc_operator=${ada.secret}`;
    for (const sent of [
      `${cookie}; __Secure-uc_operator=${'x'.repeat(43)}`,
      `${cookie}; ${cookie}`,
      `__Secure-uc_operator=${'x'.repeat(43)}`,
      `__Secure-uc_operator="${ada.secret}"`,
      `uc_operator=${ada.secret}`,
      '__Secure-uc_operator=',
    ]) {
      const response = await browser().call('GET', '/session', { headers: { cookie: sent } });
      expect([sent, response.status]).toEqual([sent, 401]);
    }
  });

  it('ends with the logout, in the database', async () => {
    const one = browser();
    await one.signIn(ADA.email, ADA.password);
    const { secret } = one;
    expect((await one.call('DELETE', '/session')).status).toBe(204);
    expect(one.secret).toBeNull();
    one.secret = secret;
    expect(outcome(await one.call('GET', '/operators'))).toEqual([401, 'Forbidden']);
    expect(await ada.isIn()).toBe(true);
  });

  it.each(['idle_until', 'ends_at'])('is over when %s is', async (column) => {
    const one = browser();
    await one.signIn(ADA.email, ADA.password);
    await rows(`update operator_session set ${column} = now() - interval '1 second' where secret_hash = $1`, [
      hash('sha256', one.secret!, 'buffer'),
    ]);
    expect(await one.isIn()).toBe(false);
  });

  it('ends on every browser with a new password, which begins another one', async () => {
    const [one, other] = [await invited(GRACE.email, 'viewer', GRACE.password), browser()];
    await other.signIn(GRACE.email, GRACE.password);
    const before = one.secret;
    const body = { currentPassword: GRACE.password, newPassword: 'another one of hers' };
    const wrong = await one.call('PUT', '/session/password', { body: { ...body, currentPassword: 'not it' } });
    expect(outcome(wrong)).toEqual([400, 'ValidationFailed']);
    const changed = await one.call('PUT', '/session/password', { body });
    expect(changed.body.operator.email).toBe(GRACE.email);
    expect(one.secret).not.toBe(before);
    expect([await one.isIn(), await other.isIn()]).toEqual([true, false]);
    expect(outcome(await other.signIn(GRACE.email, GRACE.password))).toEqual([403, 'Forbidden']);
    expect((await other.signIn(GRACE.email, body.newPassword)).status).toBe(200);
    expect(await audited('operator.password-changed')).toMatchObject([
      { actor: `operator:${GRACE.email}`, subject: `operator:${GRACE.email}` },
    ]);
  });

  it('ends with another role, and with the operator', async () => {
    const grace = browser();
    await grace.signIn(GRACE.email, 'another one of hers');
    const { id } = await operatorOf(GRACE.email);
    const named = await ada.call('PATCH', `/operators/${id}`, { body: { name: 'Grace H.' } });
    expect(named.body).toMatchObject({ name: 'Grace H.', role: 'viewer' });
    expect(await grace.isIn()).toBe(true);
    expect((await ada.call('PATCH', `/operators/${id}`, { body: { role: 'admin' } })).body.role).toBe('admin');
    expect(await grace.isIn()).toBe(false);
    await grace.signIn(GRACE.email, 'another one of hers');
    expect((await ada.call('DELETE', `/operators/${id}`)).status).toBe(204);
    expect(await grace.isIn()).toBe(false);
    expect(outcome(await ada.call('DELETE', `/operators/${id}`))).toEqual([404, 'NotFound']);
  });
});

describe('the last admin', () => {
  it('stays', async () => {
    const { id } = await operatorOf(ADA.email);
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { role: 'viewer' }],
    ] as const) {
      expect(outcome(await ada.call(method, `/operators/${id}`, { body }))).toEqual([409, 'Conflict']);
    }
    expect((await ada.call('PATCH', `/operators/${id}`, { body: { role: 'admin' } })).status).toBe(200);
    expect(await ada.isIn()).toBe(true);
  });

  it('is one of two who remove each other at the same moment', async () => {
    const bob = await invited('bob@example.com', 'admin');
    const [adaId, bobId] = [(await operatorOf(ADA.email)).id, (await operatorOf('bob@example.com')).id];
    const demoted = { body: { role: 'viewer' } };
    const responses = await Promise.all([
      ada.call('PATCH', `/operators/${bobId}`, demoted),
      bob.call('PATCH', `/operators/${adaId}`, demoted),
    ]);
    const admins = await rows(`select email from operator where role = 'admin'`);
    expect(admins).toHaveLength(1);
    expect(responses.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    await rows(`update operator set role = case id when $1 then 'admin' else 'viewer' end`, [adaId]);
    await ada.signIn(ADA.email, ADA.password);
  });
});

describe('N62 a password that is tried first', () => {
  const EMAIL = 'mallory.marsh@example.com';

  it.each(['Password2026!', 'QWERTYUIOP12', 'Marsh-Mallory', 'Unified Calendar'])(
    '%p is refused, by an invitation and by a change',
    async (password) => {
      const { body } = await ada.call('POST', '/invitations', { body: { email: EMAIL, role: 'viewer' } });
      const accepted = { token: tokenOf(body.link), name: 'Mallory', password };
      const rejected = await browser().call('POST', '/invitations/accept', { body: accepted });
      expect(outcome(rejected)).toEqual([400, 'ValidationFailed']);
      expect(rejected.body.details).toEqual([
        { path: 'password', message: expect.stringContaining('too easy to guess') },
      ]);
      const mallory = browser();
      const taken = { ...accepted, password: 'three words of hers' };
      expect((await mallory.call('POST', '/invitations/accept', { body: taken })).status).toBe(200);
      const change = { currentPassword: taken.password, newPassword: password };
      const changed = await mallory.call('PUT', '/session/password', { body: change });
      expect([outcome(changed), changed.body.details[0].path]).toEqual([[400, 'ValidationFailed'], 'newPassword']);
      expect((await ada.call('DELETE', `/operators/${(await operatorOf(EMAIL)).id}`)).status).toBe(204);
    },
  );
});

describe('an invitation', () => {
  const invite = (email: string, role = 'viewer') => ada.call('POST', '/invitations', { body: { email, role } });
  const open = (link: string) => browser().call('POST', '/invitations/open', { body: { token: tokenOf(link) } });

  it('is for one address and one role, and its link is shown once', async () => {
    const made = await invite('Carol@Example.com');
    expect(made.body).toMatchObject({ email: 'carol@example.com', role: 'viewer', invitedBy: ADA.email });
    expect(made.body.link).toMatch(new RegExp(`^${service.env['PUBLIC_URL']}/dashboard/invitation#[\\w-]{43}$`));
    const days = (Date.parse(made.body.expiresAt) - Date.parse(made.body.createdAt)) / 86_400_000;
    expect(Math.round(days)).toBe(7);
    const { link, ...listed } = made.body;
    expect((await ada.call('GET', '/invitations')).body.data).toEqual([listed]);
    expect((await open(link)).body).toMatchObject({ email: 'carol@example.com', role: 'viewer' });
    const carol = browser();
    const accept = (body: object) =>
      carol.call('POST', '/invitations/accept', {
        body: { token: tokenOf(link), name: 'Carol', password: 'a password of hers', ...body },
      });
    expect(outcome(await accept({ email: 'eve@example.com' }))).toEqual([400, 'ValidationFailed']);
    expect(outcome(await accept({ role: 'admin' }))).toEqual([400, 'ValidationFailed']);
    expect((await accept({})).body.operator).toMatchObject({ email: 'carol@example.com', role: 'viewer' });
    expect(outcome(await accept({}))).toEqual([404, 'NotFound']);
    expect((await ada.call('GET', '/invitations')).body.data).toEqual([]);
    expect(outcome(await invite('carol@example.com'))).toEqual([409, 'Conflict']);
  });

  it('makes one operator, whoever opens its link at the same moment', async () => {
    const { body } = await invite('dave@example.com');
    const responses = await Promise.all(
      [1, 2, 3].map((n) =>
        browser().call('POST', '/invitations/accept', {
          body: { token: tokenOf(body.link), name: `Dave ${n}`, password: 'a password of his' },
        }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });

  it('gives way to a further one, is withdrawn, and is over after a week', async () => {
    const [first, second] = [await invite('erin@example.com'), await invite('erin@example.com', 'admin')];
    expect([(await open(first.body.link)).status, (await open(second.body.link)).status]).toEqual([404, 200]);
    expect((await ada.call('DELETE', `/invitations/${second.body.id}`)).status).toBe(204);
    expect((await open(second.body.link)).status).toBe(404);
    expect(outcome(await ada.call('DELETE', `/invitations/${second.body.id}`))).toEqual([404, 'NotFound']);
    const third = await invite('erin@example.com');
    await rows(`update operator_invitation set expires_at = now() where email = 'erin@example.com'`);
    expect((await open(third.body.link)).status).toBe(404);
    expect((await ada.call('GET', '/invitations')).body.data).toEqual([]);
  });
});

describe('N62 wrong logins', () => {
  const EMAIL = 'heidi@example.com';
  const PASSWORD = 'a password of heidi';
  const NETWORK = '203.0.113.200';
  const subject = hash('sha256', `login:${NETWORK} ${EMAIL}`, 'buffer');
  const there = () => new OperatorBrowser(service, NETWORK);
  const blocked = () =>
    rows<{ failures: number; seconds: number | null }>(
      'select failures, round(extract(epoch from blocked_until - last_at))::int as seconds from operator_sign_in_failure ' +
        'where subject_hash = $1',
      [subject],
    );

  beforeAll(() => invited(EMAIL, 'viewer', PASSWORD));

  it('are answered alike whether there is an operator or not, and slowed down from the fifth on', async () => {
    const sequences = [];
    for (const email of [EMAIL, 'nobody@example.com']) {
      const guesses = browser();
      const responses: Answer[] = [];
      for (let n = 0; n < 7; n += 1) responses.push(await guesses.signIn(email, `guess ${n}`));
      expect(Number(responses[6]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      const own = ['date', 'x-request-id', 'ratelimit', 'retry-after'];
      sequences.push(
        responses.map((response) => [
          response.status,
          {
            ...(withoutRequestId(response) as object),
            message: response.status === 429 ? null : response.body.message,
          },
          [...response.headers]
            .filter(([name]) => !own.includes(name))
            .map(([name, value]) => [name, name === 'content-length' ? 0 : value]),
        ]),
      );
    }
    expect(sequences[0]).toEqual(sequences[1]);
    expect(sequences[0]?.map(([status]) => status)).toEqual([403, 403, 403, 403, 403, 429, 429]);
  });

  it('keep the right password out as well where they are made, until the wait is over; then it ends them', async () => {
    for (let n = 0; n < 5; n += 1) await there().signIn(EMAIL, `guess ${n}`);
    expect(outcome(await there().signIn(EMAIL, PASSWORD))).toEqual([429, 'RateLimited']);
    await rows('update operator_sign_in_failure set blocked_until = now()');
    expect((await there().signIn(EMAIL, PASSWORD)).status).toBe(200);
    expect(await blocked()).toEqual([]);
  });

  it.each([
    [3, null],
    [4, 10],
    [5, 20],
    [9, 320],
    [11, 900],
    [5_000, 900],
  ])('after %p make the next one wait for %p seconds', async (failures, seconds) => {
    await rows('delete from operator_sign_in_failure');
    await rows('insert into operator_sign_in_failure (subject_hash, failures, last_at) values ($1, $2, now())', [
      subject,
      failures,
    ]);
    expect((await there().signIn(EMAIL, 'wrong')).status).toBe(403);
    expect(await blocked()).toEqual([{ failures: failures + 1, seconds }]);
  });

  it('are forgotten after a day', async () => {
    await rows(`update operator_sign_in_failure set last_at = now() - interval '25 hours', blocked_until = null`);
    await there().signIn(EMAIL, 'wrong');
    expect(await blocked()).toEqual([{ failures: 1, seconds: null }]);
  });

  it('of many addresses slow their network down, and no other one', async () => {
    const guesses = browser();
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await guesses.signIn(`guess-${n}@example.com`, 'guess')).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
    expect((await browser().signIn('other@example.com', 'guess')).status).toBe(403);
  });

  it('made at the same moment are no more tries than one after the other', async () => {
    await rows('delete from operator_sign_in_failure');
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => there().signIn(EMAIL, `guess ${n}`)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(5);
    expect(new Set(statuses)).toEqual(new Set([403, 429]));
  });

  it('are in the audit log with where they came from, and without what was tried', async () => {
    await rows('delete from operator_sign_in_failure');
    await new OperatorBrowser(service, '2001:db8:1:2::7').signIn(EMAIL, 'telltale');
    const entries = await audited('operator.login-failed');
    expect(entries.at(-1)).toMatchObject({ actor: 'network:2001:db8:1:2::/64', subject: `operator:${EMAIL}` });
    expect(JSON.stringify(await rows('select * from audit_entry'))).not.toContain('telltale');
    expect(service.program.stdout()).not.toContain('telltale');
  });
});

describe('the audit log', () => {
  it('has every change with who made it and by which request', async () => {
    const made = await ada.call('POST', '/invitations', { body: { email: 'ivan@example.com', role: 'viewer' } });
    const { body } = await ada.call('GET', '/audit', { query: { action: 'invitation.created', limit: 1 } });
    expect(body.data).toEqual([
      {
        id: expect.any(String),
        recordedAt: expect.any(String),
        actor: `operator:${ADA.email}`,
        action: 'invitation.created',
        subject: 'operator:ivan@example.com',
        applicationId: null,
        requestId: made.headers.get('x-request-id'),
      },
    ]);
    const actions = await rows<{ action: string }>('select distinct action from audit_entry order by 1');
    expect(actions.map(({ action }) => action)).toEqual(
      expect.arrayContaining([
        ...['invitation.created', 'invitation.withdrawn'],
        ...['operator.changed', 'operator.created', 'operator.login', 'operator.login-failed', 'operator.logout'],
        ...['operator.password-changed', 'operator.removed'],
      ]),
    );
  });

  it('is read page by page, newest first, and each page belongs to its filters', async () => {
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await ada.call('GET', '/audit', { query: { limit: 7, pageToken } });
      expect(page.status).toBe(200);
      seen.push(...page.body.data.map(({ id }: { id: string }) => id));
      pageToken = page.body.nextPageToken ?? undefined;
    } while (pageToken !== undefined);
    const all = await rows<{ id: string }>('select id from audit_entry order by recorded_at desc, id desc');
    expect(seen).toEqual(all.map(({ id }) => id));
    const first = await ada.call('GET', '/audit', { query: { limit: 1, actor: `operator:${ADA.email}` } });
    expect(first.body.data[0].actor).toBe(`operator:${ADA.email}`);
    const query = { limit: 1, actor: 'ops', pageToken: first.body.nextPageToken };
    expect(outcome(await ada.call('GET', '/audit', { query }))).toEqual([400, 'PageTokenInvalid']);
  });

  it('shows what was done to one application', async () => {
    const { applicationId } = service;
    const { body } = await ada.call('GET', '/audit', { query: { applicationId } });
    expect(body.data.length).toBeGreaterThan(0);
    for (const entry of body.data) expect(entry.applicationId).toBe(applicationId);
  });
});
