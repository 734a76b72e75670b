// Slow: every attack goes through the pages of both providers.
import { randomBytes } from 'node:crypto';
import { Visitor } from '../sandbox/visitor.js';
import { Browser, type Visit } from '../support/browser.js';
import type { OAuthAccounts } from '../support/oauth-accounts.js';
import { asAdmin } from '../support/postgres.js';
import { eventually } from '../support/processes.js';
import { GRANULAR_SCOPES } from '../support/sandbox.js';
import { forgeries, signed } from '#providers/kit/testing/signed-id-tokens';
import { GOOGLE, MICROSOFT, type SandboxHalf } from '../browser/sign-in-subjects.js';
import { respondWithIdToken, goodClaims, trustOwnIdTokens } from './own-id-tokens.js';

const ADA = 'ada@example.com';
const GRACE = 'grace@example.com';
const HOME = 'https://app.example.test/connected';
const HOME_WITH_QUERY = 'https://app.example.test/other?tenant=a%20b';
const OTHER_DIRECTORY = 'aaaaaaaa-0000-4000-8000-000000000009';

const SUBJECTS = [
  { subject: GOOGLE, otherProvider: 'microsoft', foreignIssuer: 'https://login.microsoftonline.com' },
  { subject: MICROSOFT, otherProvider: 'google', foreignIssuer: 'https://accounts.google.com' },
];

describe.each(SUBJECTS)('$subject.providerType', ({ subject, otherProvider, foreignIssuer }) => {
  let provided: OAuthAccounts & { stop(): Promise<void> };
  let browser: Browser;
  let visitor: Visitor;

  beforeAll(async () => {
    provided = await subject.start({});
    const { service } = provided;
    for (const url of [HOME, HOME_WITH_QUERY]) {
      await service.ops('redirect-url', 'add', '--application', service.applicationId, '--url', url);
    }
    // The first sign-in makes the service read the keys.
    await trustOwnIdTokens(subject, provided);
    await half().addUser({ email: ADA });
    browser = new Browser();
    visitor = new Visitor(subject.origin(provided.sandbox));
    await signIn();
    await half().clearFaults();
    await forget();
  });

  afterAll(() => provided?.stop());

  function half(): SandboxHalf {
    return subject.half(provided.sandbox);
  }

  /** Accounts at the service, then users at the provider. */
  async function forget(): Promise<void> {
    for (const { id } of await accounts()) await provided.service.call('DELETE', `/v1/endUserAccounts/${id}`);
    for (const email of [ADA, GRACE])
      await half()
        .removeUser(email)
        .catch(() => undefined);
  }

  beforeEach(async () => {
    browser = new Browser();
    visitor = new Visitor(subject.origin(provided.sandbox));
    for (const email of [ADA, GRACE]) await half().addUser({ email });
    await half().clearRequests();
  });

  afterEach(async () => {
    await provided.sandbox.expectNoViolations();
    await forget();
  });

  async function accounts(): Promise<{ id: string; email: string; status: string }[]> {
    return (await provided.service.call('GET', '/v1/endUserAccounts')).body.data;
  }

  async function tokenCalls(): Promise<number> {
    return (await half().requests({ kind: 'token' })).length;
  }

  function authorize(query: Record<string, string> = {}, from = browser): Promise<Visit> {
    const { baseUrl, applicationId } = provided.service;
    const search = new URLSearchParams(query).toString();
    return from.visit(`${baseUrl}/api/v1/oauth/authorize/${applicationId}/${subject.provider}?${search}`);
  }

  /** Through the pages of the provider; the address at which the browser would come back. */
  async function consent({ location }: Visit, email = ADA, unticked: string[] = []): Promise<URL> {
    let page = await visitor.open(location ?? '');
    if (page.body.includes('/signin/account')) page = await visitor.chooseAccount(page, email);
    if (page.body.includes('/signin/consent')) page = await visitor.allow(page, unticked);
    expect(page.url.pathname).toBe(`/api/v1/oauth/callback/${subject.provider}`);
    return page.url;
  }

  /** From the application to the provider and home again. */
  async function signIn(query: Record<string, string> = {}, email = ADA, unticked: string[] = []): Promise<URL> {
    return homeOf(await browser.visit(await consent(await authorize(query), email, unticked)));
  }

  function nonceOf({ location }: Visit): string {
    return new URL(location ?? '').searchParams.get('nonce') ?? '';
  }

  function homeOf({ status, location }: Visit): URL {
    expect(status).toBe(302);
    return new URL(location ?? '');
  }

  function parameters({ searchParams }: URL): Record<string, string> {
    return Object.fromEntries(searchParams);
  }

  describe('the redirect flow, with the provider of the sandbox', () => {
    it('connects an account that works, and tells the application which one', async () => {
      const home = await signIn({ state: 'c3RhdGU=', externalId: 'user-42', loginHint: ADA });
      const [account, ...others] = await accounts();
      expect(others).toEqual([]);
      expect(home.href).toBe(`${HOME}?endUserAccountId=${account?.id}&state=c3RhdGU%3D`);
      expect(account).toMatchObject({
        email: ADA,
        externalId: 'user-42',
        providerType: subject.providerType,
        status: 'ACTIVE',
      });
      const calendars = await provided.service.call('GET', `/v1/calendars/${account?.id}`);
      expect(calendars.body.data).toContainEqual(expect.objectContaining({ isPrimary: true, inviteEmail: ADA }));
      const credentials = await provided.service.call('GET', `/v1/endUserAccounts/${account?.id}/credentials`);
      expect(credentials.body.refreshToken).toMatch(/./);
    });

    it('N40 keeps the account of a person who signs in again, and its id', async () => {
      const first = await signIn();
      const second = await signIn({ prompt: 'select_account' });
      expect(parameters(second)).toEqual(parameters(first));
      expect(await accounts()).toHaveLength(1);
    });

    it('brings back an account whose access was taken away', async () => {
      const first = await signIn();
      await half().revoke(ADA, subject.client.clientId);
      const second = await signIn({ loginHint: ADA });
      expect(parameters(second)).toEqual(parameters(first));
      expect(await accounts()).toEqual([expect.objectContaining({ status: 'ACTIVE' })]);
    });

    it('does not ask with prompt=none: it connects who has consented, and says so when nobody has', async () => {
      const page = await visitor.open((await authorize({ prompt: 'none', state: 's' })).location ?? '');
      const rejected = homeOf(await browser.visit(page.url));
      expect(parameters(rejected)).toMatchObject({
        error: 'interaction_required',
        provider: subject.providerType,
        state: 's',
      });
      expect(await accounts()).toEqual([]);
      const first = await signIn();
      const second = homeOf(await browser.visit(await consent(await authorize({ prompt: 'none', loginHint: ADA }))));
      expect(parameters(second)).toEqual(parameters(first));
    });
  });

  describe('N33 a response of no sign-in', () => {
    async function expectPage(url: URL, from = browser): Promise<void> {
      const { status, location, headers, text } = await from.visit(url);
      expect([status, location, headers.get('content-type')]).toEqual([400, null, 'text/html; charset=utf-8']);
      expect(text).toContain('This sign-in is over, or it began in another browser.');
    }

    afterEach(async () => expect(await accounts()).toEqual([]));

    it.each<[string, (back: URL) => void]>([
      ['no state', ({ searchParams }) => searchParams.delete('state')],
      ['a foreign state', ({ searchParams }) => searchParams.set('state', randomBytes(32).toString('base64url'))],
      [
        'a tampered state',
        ({ searchParams }) => searchParams.set('state', `${searchParams.get('state')?.slice(0, -1)}!`),
      ],
      ['N36 a foreign issuer', ({ searchParams }) => searchParams.set('iss', foreignIssuer)],
    ])('is refused: %s', async (_, change) => {
      const back = await consent(await authorize());
      change(back);
      await expectPage(back);
      expect(await tokenCalls()).toBe(0);
    });

    it('N34 is refused in another cookie jar, with or without a cookie of its own; the right one still finishes', async () => {
      const back = await consent(await authorize());
      await expectPage(back, new Browser());
      const other = new Browser();
      await authorize({}, other);
      await expectPage(back, other);
      expect(await tokenCalls()).toBe(0);
      const home = homeOf(await browser.visit(back));
      const [account] = await accounts();
      expect(parameters(home)).toEqual({ endUserAccountId: account?.id });
      await provided.service.call('DELETE', `/v1/endUserAccounts/${account?.id}`);
    });

    it('N36 is refused at the callback of another provider', async () => {
      const back = await consent(await authorize());
      back.pathname = back.pathname.replace(subject.provider, otherProvider);
      expect((await browser.visit(back)).status).toBe(400);
      expect(await tokenCalls()).toBe(0);
    });

    it('N35 gets no token when the verifier is another one', async () => {
      const mine = await consent(await authorize());
      const other = new Browser();
      const theirs = await consent(await authorize({}, other), GRACE);
      mine.searchParams.set('code', theirs.searchParams.get('code') ?? '');
      expect(parameters(homeOf(await browser.visit(mine)))).toMatchObject({ error: 'provider_error' });
      expect(await tokenCalls()).toBe(1);
      // A correct client never does that.
      await provided.sandbox.clearViolations();
    });
  });

  it('N42 makes one account of a response that comes twice at once', async () => {
    const back = await consent(await authorize());
    const visits = await Promise.all([browser.visit(back), browser.visit(back), browser.visit(back)]);
    expect(visits.map(({ status }) => status).sort()).toEqual([302, 400, 400]);
    expect((await browser.visit(back)).status).toBe(400);
    expect([await tokenCalls(), (await accounts()).length]).toEqual([1, 1]);
  });

  describe('N37 the redirect URL', () => {
    it.each([
      `${HOME}/`,
      `${HOME}?x`,
      'https://app.example.test/',
      'https://app.example.test/connected/../x',
      'https://app.example.test@evil.test/connected',
      'https://app.example.test:8443/connected',
      'https://APP.example.test/connected',
      'http://app.example.test/connected',
      'https://evil.test/connected',
      '//evil.test',
      'javascript:alert(1)',
      'https%3A%2F%2Fapp.example.test%2Fconnected',
    ])('is refused before any redirect: %s', async (redirectUrl) => {
      const { status, location, text } = await authorize({ redirectUrl });
      expect([status, location]).toEqual([400, null]);
      expect(text).toContain('redirectUrl: is not one of the redirect URLs of the application');
    });

    it('is followed when it is configured, its own query kept', async () => {
      const home = await signIn({ redirectUrl: HOME_WITH_QUERY, state: 's' });
      expect(home.href).toBe(`${HOME_WITH_QUERY}&endUserAccountId=${(await accounts())[0]?.id}&state=s`);
    });
  });

  it.each([
    'a\r\nset-cookie: x=y\r\n\r\n<html>',
    'a&endUserAccountId=x#y',
    '<img src=x onerror=alert(1)>',
    ' +%20+ ',
    '日本',
  ])('N38 returns the state of the application unchanged: %j', async (state) => {
    const home = await signIn({ state });
    expect(home.searchParams.getAll('state')).toEqual([state]);
    expect(home.searchParams.getAll('endUserAccountId')).toEqual([(await accounts())[0]?.id]);
  });

  it('N38 refuses a state of 100 kB without taking it in', async () => {
    const { status, location } = await authorize({ state: 'x'.repeat(100_000) });
    expect([status >= 400 && status < 500, location]).toEqual([true, null]);
  });

  it('N39 connects nobody else than the loginHint says, and leaves who is connected alone', async () => {
    const kept = await signIn({}, GRACE);
    const rejected = await signIn({ loginHint: ADA, state: 's' }, GRACE);
    expect(parameters(rejected)).toMatchObject({
      error: 'login_hint_mismatch',
      provider: subject.providerType,
      state: 's',
    });
    expect(await accounts()).toEqual([expect.objectContaining({ email: GRACE, status: 'ACTIVE' })]);
    const calendars = await provided.service.call('GET', `/v1/calendars/${kept.searchParams.get('endUserAccountId')}`);
    expect(calendars.status).toBe(200);
  });

  it('N40 makes another account of somebody else who got the address, and leaves the first alone', async () => {
    await signIn();
    const [first] = await accounts();
    await half().removeUser(ADA);
    if (subject === MICROSOFT) await provided.sandbox.microsoft.addUser({ email: ADA, tid: OTHER_DIRECTORY });
    else await half().addUser({ email: ADA });
    browser = new Browser();
    visitor = new Visitor(subject.origin(provided.sandbox));
    const second = parameters(await signIn());
    const both = await accounts();
    expect(both.map(({ email }) => email)).toEqual([ADA, ADA]);
    expect(both.map(({ id }) => id)).toEqual(expect.arrayContaining([first?.id, second['endUserAccountId']]));
  });

  it('N41 takes a cancelled consent home, in words of its own', async () => {
    const { location } = await authorize({ state: 's' });
    const page = await visitor.chooseAccount(await visitor.open(location ?? ''), ADA);
    const { url } = await visitor.cancel(page);
    url.searchParams.set('error_description', '<script>alert(1)</script>');
    const home = homeOf(await browser.visit(url));
    expect(home.href.startsWith(`${HOME}?`)).toBe(true);
    expect(parameters(home)).toEqual({
      error: 'access_denied',
      error_description: 'The user did not allow access.',
      provider: subject.providerType,
      state: 's',
    });
    expect([await tokenCalls(), await accounts()]).toEqual([0, []]);
  });

  describe('an account that belongs to a user of the application', () => {
    const MISMATCH = {
      error: 'external_id_mismatch',
      error_description: 'The account belongs to another user of the application.',
    };

    async function state(): Promise<unknown> {
      const [account] = await accounts();
      const credentials = await provided.service.call('GET', `/v1/endUserAccounts/${account?.id}/credentials`);
      return [account, credentials.body];
    }

    it('is not moved by a link, silent or not, and no grant of its own is lost', async () => {
      await signIn({ externalId: 'user-1' });
      const before = await state();
      const expected = { ...MISMATCH, provider: subject.providerType, state: 's' };
      expect(parameters(await signIn({ externalId: 'user-2', prompt: 'none', loginHint: ADA, state: 's' }))).toEqual(
        expected,
      );
      expect(parameters(await signIn({ externalId: 'user-2', prompt: 'consent', state: 's' }))).toEqual(expected);
      expect(await state()).toEqual(before);
      const [account] = await accounts();
      expect((await provided.service.call('GET', `/v1/calendars/${account?.id}`)).status).toBe(200);
      expect(parameters(await signIn({ externalId: 'user-1' }))).toEqual({ endUserAccountId: account?.id });
      expect(parameters(await signIn())).toEqual({ endUserAccountId: account?.id });
    });

    it('is moved by the application itself, with its key', async () => {
      await signIn({ externalId: 'user-1' });
      const { refreshToken } = await half().grant(ADA, subject.client.clientId);
      const body = { email: ADA, providerType: subject.providerType, refreshToken, externalId: 'user-2' };
      expect((await provided.service.call('POST', '/v1/endUserAccounts', { body })).body.externalId).toBe('user-2');
      expect(parameters(await signIn({ externalId: 'user-1' }))).toMatchObject(MISMATCH);
    });

    it('is bound by one of two sign-ins that come back at once', async () => {
      const backs = [];
      for (const externalId of ['user-1', 'user-2']) backs.push(await consent(await authorize({ externalId })));
      const homes = await Promise.all(backs.map(async (back) => parameters(homeOf(await browser.visit(back)))));
      expect(homes).toContainEqual(expect.objectContaining({ endUserAccountId: expect.any(String) }));
      expect(homes).toContainEqual(expect.objectContaining(MISMATCH));
      expect(await accounts()).toHaveLength(1);
    });
  });

  describe('an address that the application has made', () => {
    async function make(given: Record<string, unknown> = {}, key?: string): Promise<URL> {
      const body = { provider: subject.provider, ...given };
      const made = await provided.service.call('POST', '/v1/oauth/authorizationUrls', { body, ...(key && { key }) });
      expect([made.status, Object.keys(made.body)]).toEqual([200, ['url', 'expiresAt']]);
      return new URL(made.body.url);
    }

    async function expectUnknown(url: URL): Promise<void> {
      const { status, location, text } = await new Browser().visit(url);
      expect([status, location]).toEqual([400, null]);
      expect(text).toContain('used already, or is over');
    }

    it('connects with what is fixed in it, once, and leaves nothing in the log nor in the database', async () => {
      const url = await make({ externalId: 'user-1', loginHint: ADA, state: 's', redirectUrl: HOME_WITH_QUERY });
      const secret = url.searchParams.get('request') ?? '';
      expect(secret).toMatch(/^[\w-]{43}$/);
      const rows = await asAdmin(provided.service.adminDatabaseUrl, async (client) =>
        JSON.stringify((await client.query('select a::text as row from authorization_request a')).rows),
      );
      for (const planted of [secret, 'user-1', ADA]) expect(rows).not.toContain(planted);
      const home = homeOf(await browser.visit(await consent(await browser.visit(url))));
      expect(home.href.startsWith(HOME_WITH_QUERY)).toBe(true);
      expect(await accounts()).toEqual([expect.objectContaining({ email: ADA, externalId: 'user-1' })]);
      await expectUnknown(url);
      const log = provided.service.program.stdout() + provided.service.program.stderr();
      expect(log).not.toContain(secret);
    });

    it('begins one sign-in when many open it at once', async () => {
      const url = await make({ externalId: 'user-1' });
      const visits = await Promise.all(Array.from({ length: 8 }, () => new Browser().visit(url)));
      expect(visits.map(({ status }) => status).sort()).toEqual([302, ...Array.from({ length: 7 }, () => 400)]);
    });

    it('is no address of another application or provider, and is not used up by them', async () => {
      const { service } = provided;
      const other = await service.createApplication('other');
      const client = ['--client-id', subject.client.clientId, '--client-secret', subject.client.clientSecret];
      const of = ['--application', other.applicationId];
      await service.ops('oauth-client', 'set', ...of, '--provider', subject.provider, ...client);
      await service.ops('redirect-url', 'add', ...of, '--url', HOME);
      const url = await make({ externalId: 'user-1' });
      const foreign = new URL(url.href.replace(service.applicationId, other.applicationId));
      await expectUnknown(foreign);
      const theirs = await make({ externalId: 'user-1' }, other.apiKey);
      expect(theirs.pathname).toContain(other.applicationId);
      await expectUnknown(new URL(theirs.href.replace(other.applicationId, service.applicationId)));
      await service.ops(
        ...['oauth-client', 'set', '--application', service.applicationId, '--provider', otherProvider, ...client],
      );
      try {
        await expectUnknown(new URL(url.href.replace(`/${subject.provider}?`, `/${otherProvider}?`)));
      } finally {
        await service.ops(
          'oauth-client',
          'remove',
          '--application',
          service.applicationId,
          '--provider',
          otherProvider,
        );
      }
      expect((await browser.visit(url)).status).toBe(302);
    });

    it('is over after ten minutes', async () => {
      const url = await make();
      await asAdmin(provided.service.adminDatabaseUrl, (client) =>
        client.query("update authorization_request set expires_at = expires_at - interval '10 minutes'"),
      );
      await expectUnknown(url);
    });

    it('can be made by a key that may write alone', async () => {
      const { service } = provided;
      const keyOf = async (scope: string): Promise<string> => {
        const of = ['--application', service.applicationId, '--name', scope, '--scopes', scope];
        return (await service.ops('api-key', 'create', ...of))['apiKey'];
      };
      const body = { provider: subject.provider };
      const made = async (key: string) =>
        (await service.call('POST', '/v1/oauth/authorizationUrls', { body, key })).status;
      expect([await made(await keyOf('read')), await made(await keyOf('write'))]).toEqual([403, 200]);
    });

    it('is the only one with an externalId, where the application wants that', async () => {
      const { ops, applicationId } = provided.service;
      const require = (how: string) => ops('application', 'set', '--id', applicationId, '--signed-links', how);
      await require('on');
      try {
        const rejected = await authorize({ externalId: 'user-1' });
        expect([rejected.status, rejected.location]).toEqual([400, null]);
        expect(rejected.text).toContain('/v1/oauth/authorizationUrls');
        expect((await authorize({ loginHint: ADA })).status).toBe(302);
        const url = await make({ externalId: 'user-1' });
        const added = new URL(url);
        added.searchParams.set('externalId', 'user-2');
        expect((await browser.visit(added)).status).toBe(400);
        homeOf(await browser.visit(await consent(await browser.visit(url))));
        expect(await accounts()).toEqual([expect.objectContaining({ externalId: 'user-1' })]);
      } finally {
        await require('off');
      }
      expect((await authorize({ externalId: 'user-1' })).status).toBe(302);
    });
  });

  it('T13 connects nobody whose grant lacks permissions that were asked for', async () => {
    const away = await authorize({ state: 's' });
    const back = await consent(away);
    const claims = await goodClaims(subject, provided, ADA, nonceOf(away));
    await respondWithIdToken(subject, provided, ADA, await signed(claims), ['openid', 'email', 'profile']);
    expect(parameters(homeOf(await browser.visit(back)))).toMatchObject({
      error: 'missing_required_permissions',
      provider: subject.providerType,
      state: 's',
    });
    expect(await accounts()).toEqual([]);
    expect(parameters(await signIn())).toEqual({ endUserAccountId: (await accounts())[0]?.id });
  });

  it('connects nobody while the provider fails, and sends the user home', async () => {
    const back = await consent(await authorize({ state: 's' }));
    await half().fault({ kind: 'token' }, { type: 'status', status: 503 });
    try {
      expect(parameters(homeOf(await browser.visit(back)))).toMatchObject({ error: 'provider_error', state: 's' });
      expect(await accounts()).toEqual([]);
    } finally {
      await half().clearFaults();
    }
  });

  describe('N43 an id_token', () => {
    /** @param forge what the provider answers with, from the claims of a good one */
    async function finishWith(forge: (claims: Record<string, unknown>) => Promise<string> | string): Promise<URL> {
      const away = await authorize({ state: 's' });
      const back = await consent(away);
      const claims = await goodClaims(subject, provided, ADA, nonceOf(away));
      await respondWithIdToken(subject, provided, ADA, await forge(claims));
      return homeOf(await browser.visit(back));
    }

    it('that is good connects its user', async () => {
      const home = await finishWith(signed);
      expect(await accounts()).toEqual([expect.objectContaining({ email: ADA })]);
      expect(parameters(home)).toEqual({ endUserAccountId: (await accounts())[0]?.id, state: 's' });
    });

    it.each(forgeries({}, 0).map(([name]) => name))('connects nobody with %s', async (name) => {
      const home = await finishWith((claims) => new Map(forgeries(claims, Date.now())).get(name)?.() ?? '');
      expect(parameters(home)).toMatchObject({ error: 'provider_error', state: 's' });
      expect(await accounts()).toEqual([]);
    });

    if (subject === MICROSOFT) {
      it.each<[string, Record<string, unknown>]>([
        ['a directory that its issuer is not', { tid: OTHER_DIRECTORY }],
        ['no directory', { tid: undefined }],
        ['no object id', { oid: undefined }],
        ['an address in place of the object id', { oid: ADA }],
      ])('connects nobody with %s', async (_, changes) => {
        const home = await finishWith((claims) => signed({ ...claims, ...changes }));
        expect(parameters(home)).toMatchObject({ error: 'provider_error', state: 's' });
        expect(await accounts()).toEqual([]);
      });
    }
  });

  it('N55 leaves nothing of a sign-in in the log', async () => {
    const { program } = provided.service;
    const callbacks = () => program.stdout().split('"route":"/api/v1/oauth/callback/:provider"').length;
    const before = callbacks();
    const back = await consent(await authorize({ state: 'planted-state', loginHint: ADA }));
    await browser.visit(back);
    const [account] = await accounts();
    const credentials = await provided.service.call('GET', `/v1/endUserAccounts/${account?.id}/credentials`);
    const secrets = [
      ...[...browser.cookies.values(), 'planted-state', subject.client.clientSecret],
      ...['code', 'state'].map((name) => back.searchParams.get(name) ?? ''),
      ...[credentials.body.accessToken, credentials.body.refreshToken],
    ];
    await eventually('its line', () => callbacks() > before || undefined);
    const log = program.stdout() + program.stderr();
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(8);
      expect(log).not.toContain(secret);
    }
  });

  if (subject === GOOGLE) {
    it('asks for consent once more when who has consented comes without a refresh token', async () => {
      await half().grant(ADA, subject.client.clientId);
      const again = await browser.visit(await consent(await authorize({ prompt: 'select_account', state: 's' })));
      expect(await accounts()).toEqual([]);
      expect(new URL(again.location ?? '').searchParams.get('prompt')).toContain('consent');
      const home = homeOf(await browser.visit(await consent(again)));
      expect(parameters(home)).toEqual({ endUserAccountId: (await accounts())[0]?.id, state: 's' });
    });

    it('T13 connects nobody who took a tick away, and does when it is set the next time', async () => {
      const { ops, applicationId } = provided.service;
      const set = (...more: string[]) =>
        ops(
          ...['oauth-client', 'set', '--application', applicationId, '--provider', subject.provider],
          ...['--client-id', subject.client.clientId, '--client-secret', subject.client.clientSecret],
          ...more,
        );
      await set('--scopes', GRANULAR_SCOPES.join(' '));
      try {
        expect(parameters(await signIn({ state: 's' }, ADA, ['calendar.events']))).toMatchObject({
          error: 'missing_required_permissions',
          state: 's',
        });
        expect(await accounts()).toEqual([]);
        expect(parameters(await signIn())).toEqual({ endUserAccountId: (await accounts())[0]?.id });
      } finally {
        await set();
      }
    });
  }
});
