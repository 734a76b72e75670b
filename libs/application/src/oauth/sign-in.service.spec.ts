import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import { ConnectLinkGone } from '#domain/connect-links';
import type { OAuthPrompt } from '#domain/oauth';
import { DomainError } from '#domain/system';
import { unreachable, type Consent } from '#domain/testing/fake-authorization-server';
import { APPLICATION_ID, OTHER_APPLICATION_ID, REDIRECT_URL, SignInFixture } from '../../testing/sign-in-fixture.js';
import { newSecret, SIGN_IN_LIFETIME_MS } from './authorization-requests.js';
import type { BeginSignIn, SignInRequest, SignInResponse } from './sign-in.service.js';

const ADA = { subject: '1001', email: 'ada@example.test' };
const BOB = { subject: '1002', email: 'bob@example.test' };
const signal = new AbortController().signal;

let fixture: SignInFixture;
let browser: string;
let logged: jest.SpiedFunction<Logger['warn']>;

beforeEach(() => {
  fixture = new SignInFixture('https://calendar.example.test/');
  browser = newSecret();
  logged = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
});
afterEach(() => jest.restoreAllMocks());

function begin(request: Partial<BeginSignIn> = {}, from = browser): Promise<string> {
  return fixture.service.begin({ applicationId: APPLICATION_ID, providerType: 'GOOGLE', ...request }, from);
}

function responseOf({ searchParams }: URL): SignInResponse {
  const {
    error_subtype: errorSubtype,
    error_description: errorDescription,
    ...rest
  } = Object.fromEntries(searchParams);
  return { ...rest, errorSubtype, errorDescription };
}

function finish(back: URL, from: string | null = browser, providerType: ProviderType = 'GOOGLE'): Promise<string> {
  return fixture.service.finish(providerType, responseOf(back), from, signal);
}

/** From the application to the provider and back again. */
async function signIn(consent: Partial<Consent> = {}, request: Partial<BeginSignIn> = {}): Promise<URL> {
  const back = fixture.google.consent(await begin(request), { identity: ADA, ...consent });
  return new URL(await finish(back));
}

function parameters({ searchParams }: URL): Record<string, string> {
  return Object.fromEntries(searchParams);
}

async function codeOf(failing: Promise<unknown>): Promise<string> {
  const error: unknown = await failing.then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown,
  );
  if (error instanceof DomainError) return error.code;
  throw error;
}

describe('SignInService.begin', () => {
  it('sends the browser to the provider with PKCE, a state and a nonce of its own', async () => {
    const url = new URL(await begin({ state: 'the application’s', prompt: 'select_account', loginHint: ADA.email }));
    expect(url.origin + url.pathname).toBe('https://accounts.google.test/authorize');
    expect(parameters(url)).toEqual({
      client_id: 'google-client',
      response_type: 'code',
      redirect_uri: 'https://calendar.example.test/api/v1/oauth/callback/google',
      scope: 'openid email calendar',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      prompt: 'select_account',
      login_hint: ADA.email,
    });
  });

  it('keeps hashes of the state and the browser, for ten minutes', async () => {
    const state = new URL(await begin()).searchParams.get('state') as string;
    const [attempt] = fixture.attempts.kept.values();
    expect(attempt?.stateHash).toHaveLength(32);
    expect(attempt?.expiresAt.getTime()).toBe(fixture.nowMs + 10 * 60_000);
    expect(JSON.stringify(attempt)).not.toContain(state);
    expect(JSON.stringify(attempt)).not.toContain(browser);
  });

  it('keeps the application under its id as it is stored', async () => {
    await begin({ applicationId: APPLICATION_ID.toUpperCase() });
    expect([...fixture.attempts.kept.values()].map(({ applicationId }) => applicationId)).toEqual([APPLICATION_ID]);
  });

  it('asks for the scopes of the client, where it names some', async () => {
    fixture.clients.set('GOOGLE', { ...fixture.clients.get('GOOGLE')!, scopes: ['openid', 'calendar.readonly'] });
    expect(new URL(await begin()).searchParams.get('scope')).toBe('openid calendar.readonly');
  });

  it.each<[string, Partial<BeginSignIn>, string]>([
    ['an unknown application', { applicationId: 'nobody' }, 'NotFound'],
    ['a provider that is not installed', { providerType: 'APPLE' }, 'NotSupportedByProvider'],
    ['a provider whose accounts have passwords', { providerType: 'CALDAV' }, 'NotSupportedByProvider'],
    ['a redirect URL that is not configured', { redirectUrl: 'https://evil.test/' }, 'ValidationFailed'],
  ])('N37 refuses %s and keeps nothing', async (_, request, code) => {
    expect(await codeOf(begin(request))).toBe(code);
    expect(fixture.attempts.kept.size).toBe(0);
  });

  it('refuses a provider without a client', async () => {
    fixture.clients.delete('GOOGLE');
    expect(await codeOf(begin())).toBe('NotSupportedByProvider');
  });

  it('refuses when there is nowhere to send the user back to', async () => {
    fixture.redirectUrls = [];
    expect(await codeOf(begin())).toBe('ValidationFailed');
    expect(await codeOf(begin({ redirectUrl: REDIRECT_URL }))).toBe('ValidationFailed');
  });

  it.each([
    `${REDIRECT_URL}/`,
    `${REDIRECT_URL}?`,
    `${REDIRECT_URL}?x=1`,
    `${REDIRECT_URL}#`,
    `${REDIRECT_URL}ed`,
    'https://app.example.test/',
    'https://app.example.test/connecte',
    'https://app.example.test/a/../connected',
    'https://app.example.test/%63onnected',
    'https://app.example.test:443/connected',
    'https://APP.example.test/connected',
    'HTTPS://app.example.test/connected',
    'http://app.example.test/connected',
    'https://user@app.example.test/connected',
    'https://app.example.test@evil.test/connected',
    'https://app.example.test.evil.test/connected',
    'https://evil.test/https://app.example.test/connected',
    'https://app.example.test\\@evil.test/connected',
    '//app.example.test/connected',
    'javascript:alert(1)',
    ` ${REDIRECT_URL}`,
    `${REDIRECT_URL}\n`,
    `${REDIRECT_URL},https://evil.test/`,
    '',
  ])('N37 refuses the redirect URL %j', async (redirectUrl) => {
    expect(await codeOf(begin({ redirectUrl }))).toBe('ValidationFailed');
    expect(fixture.attempts.kept.size).toBe(0);
  });
});

describe('SignInService.finish', () => {
  it('connects the account and returns its id and the state of the application', async () => {
    const back = await signIn({}, { state: 'c3RhdGU=', externalId: 'user-42' });
    const [account] = fixture.accounts;
    expect(back.origin + back.pathname).toBe(REDIRECT_URL);
    expect(parameters(back)).toEqual({ endUserAccountId: account?.id, state: 'c3RhdGU=' });
    expect(account).toMatchObject({
      applicationId: APPLICATION_ID,
      providerType: 'GOOGLE',
      email: ADA.email,
      providerAccountId: ADA.subject,
      externalId: 'user-42',
      authorizedScopes: ['openid', 'email', 'calendar'],
    });
  });

  it('returns no state where none was given', async () => {
    expect([...(await signIn()).searchParams.keys()]).toEqual(['endUserAccountId']);
  });

  it('sends the user to the redirect URL that was asked for, its query included', async () => {
    fixture.redirectUrls = [REDIRECT_URL, 'https://app.example.test/other?tenant=a%20b&x'];
    const [, redirectUrl] = fixture.redirectUrls;
    const back = await signIn({}, { redirectUrl, state: 's' });
    expect(back.href).toBe(`${redirectUrl}&endUserAccountId=${fixture.accounts[0]?.id}&state=s`);
  });

  describe('N33 refuses, and asks for no token,', () => {
    afterEach(() => {
      expect(fixture.google.exchanged).toEqual([]);
      expect(fixture.accounts).toEqual([]);
    });

    async function expectRejected(change: (back: URL) => void | Promise<void>): Promise<void> {
      const back = fixture.google.consent(await begin(), { identity: ADA });
      await change(back);
      expect(await codeOf(finish(back))).toBe('ValidationFailed');
    }

    it('a missing state', () => expectRejected(({ searchParams }) => searchParams.delete('state')));
    it('an empty state', () => expectRejected(({ searchParams }) => searchParams.set('state', '')));
    it('an unknown state', () => expectRejected(({ searchParams }) => searchParams.set('state', newSecret())));
    it('the state of the application', () => expectRejected(({ searchParams }) => searchParams.set('state', 's')));
    it('a tampered state', () =>
      expectRejected(({ searchParams }) => {
        const state = searchParams.get('state') as string;
        searchParams.set('state', (state.startsWith('A') ? 'B' : 'A') + state.slice(1));
      }));
    it('an expired state', () =>
      expectRejected(() => {
        fixture.nowMs += SIGN_IN_LIFETIME_MS;
      }));
    it('a response without code and error', () => expectRejected(({ searchParams }) => searchParams.delete('code')));
    it('a response with an empty code', () => expectRejected(({ searchParams }) => searchParams.set('code', '')));
    it('N34 a response without a cookie', async () => {
      const back = fixture.google.consent(await begin(), { identity: ADA });
      expect(await codeOf(finish(back, null))).toBe('ValidationFailed');
    });
    it('N34 the state of another browser', () =>
      expectRejected(async ({ searchParams }) => {
        const theirs = new URL(await begin({}, newSecret()));
        searchParams.set('state', theirs.searchParams.get('state') as string);
      }));
    it('N36 a response of another provider', async () => {
      const back = fixture.google.consent(await begin(), { identity: ADA });
      back.searchParams.delete('iss');
      expect(await codeOf(finish(back, browser, 'MICROSOFT'))).toBe('ValidationFailed');
      expect(fixture.microsoft.exchanged).toEqual([]);
    });
    it('N36 a response that another issuer claims', () =>
      expectRejected(({ searchParams }) => searchParams.set('iss', fixture.microsoft.issuer)));
    it('N36 an empty issuer', () => expectRejected(({ searchParams }) => searchParams.set('iss', '')));
    it('N36 a response at a provider that is not installed', async () => {
      const back = fixture.google.consent(await begin(), { identity: ADA });
      expect(await codeOf(finish(back, browser, 'APPLE'))).toBe('NotSupportedByProvider');
    });
  });

  it('N33 N42 takes a response once, also when it comes twice at once', async () => {
    const back = fixture.google.consent(await begin(), { identity: ADA });
    const outcomes = await Promise.allSettled([finish(back), finish(back), finish(back)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await codeOf(finish(back))).toBe('ValidationFailed');
    expect(fixture.google.exchanged).toHaveLength(1);
    expect(fixture.accounts).toHaveLength(1);
  });

  it('N34 lets the browser that began finish, whatever others tried with its state', async () => {
    const back = fixture.google.consent(await begin(), { identity: ADA });
    for (const other of [newSecret(), 'nonsense', null]) {
      expect(await codeOf(finish(back, other))).toBe('ValidationFailed');
    }
    expect(new URL(await finish(back)).searchParams.get('endUserAccountId')).toBe(fixture.accounts[0]?.id);
  });

  it('keeps the sign-ins of two tabs apart', async () => {
    const first = fixture.google.consent(await begin({ state: 'first' }), { identity: ADA });
    const second = fixture.google.consent(await begin({ state: 'second' }), { identity: BOB });
    expect(new URL(await finish(second)).searchParams.get('state')).toBe('second');
    expect(new URL(await finish(first)).searchParams.get('state')).toBe('first');
    expect(fixture.accounts.map(({ email }) => email)).toEqual([BOB.email, ADA.email]);
  });

  it('N35 gets no token for a code that came with another verifier', async () => {
    const mine = fixture.google.consent(await begin(), { identity: ADA });
    const stolen = fixture.google.consent(await begin({}, newSecret()), { identity: BOB });
    mine.searchParams.set('code', stolen.searchParams.get('code') as string);
    expect(parameters(new URL(await finish(mine)))).toMatchObject({ error: 'provider_error' });
    expect(fixture.accounts).toEqual([]);
  });

  it('N40 tells accounts apart by provider and subject, not by email', async () => {
    await signIn();
    await signIn({ identity: { ...BOB, email: ADA.email } });
    const back = fixture.microsoft.consent(await begin({ providerType: 'MICROSOFT' }), { identity: ADA });
    await finish(back, browser, 'MICROSOFT');
    expect(fixture.accounts.map(({ providerType, providerAccountId }) => [providerType, providerAccountId])).toEqual([
      ['GOOGLE', ADA.subject],
      ['GOOGLE', BOB.subject],
      ['MICROSOFT', ADA.subject],
    ]);
    const again = await signIn({ identity: { ...ADA, email: 'ada.new@example.test' } });
    expect(again.searchParams.get('endUserAccountId')).toBe(fixture.accounts[0]?.id);
    expect(fixture.accounts).toHaveLength(3);
  });

  describe('N41 the provider says no', () => {
    async function refused(response: Record<string, string>, prompt?: OAuthPrompt): Promise<Record<string, string>> {
      const back = fixture.google.deny(await begin({ prompt, state: 's' }), response);
      return parameters(new URL(await finish(back)));
    }

    it.each<[Record<string, string>, OAuthPrompt | undefined, string]>([
      [{ error: 'access_denied' }, undefined, 'access_denied'],
      [{ error: 'access_denied', code: 'both' }, 'consent', 'access_denied'],
      [{ error: 'access_denied' }, 'none', 'interaction_required'],
      [{ error: 'interaction_required', error_subtype: 'access_denied' }, 'none', 'interaction_required'],
      [{ error: 'server_error', error_subtype: 'access_denied' }, 'none', 'interaction_required'],
      [{ error: 'login_required' }, 'none', 'interaction_required'],
      [{ error: 'consent_required' }, 'none', 'interaction_required'],
      [{ error: 'account_selection_required' }, 'none', 'interaction_required'],
      [{ error: 'login_required' }, undefined, 'interaction_required'],
      [{ error: 'server_error', error_subtype: 'access_denied' }, undefined, 'provider_error'],
      [{ error: 'admin_policy_enforced' }, undefined, 'provider_error'],
      [{ error: '__proto__' }, undefined, 'provider_error'],
      [{ error: '<script>alert(1)</script>\r\nset-cookie: x=y' }, undefined, 'provider_error'],
    ])('%j with prompt %s becomes %s', async (response, prompt, error) => {
      expect(await refused(response, prompt)).toEqual({
        error,
        error_description: expect.stringMatching(/^The [\w ,=-]+\.$/),
        provider: 'GOOGLE',
        state: 's',
      });
      expect([fixture.google.exchanged, fixture.accounts]).toEqual([[], []]);
    });

    it('in words that go nowhere', async () => {
      const { error_description: description } = await refused({ error: 'x', error_description: 'planted' });
      expect(description).toBe('The provider did not complete the sign-in.');
    });

    it('N41 because an administrator has to consent: the operator learns where, the user only that', async () => {
      const planted = 'AADSTS90094: planted';
      const asked: unknown[] = [];
      fixture.microsoft.needsAdministrator = (rejected) => asked.push(rejected) > 0;
      fixture.microsoft.administratorConsentUrl = ({ client, redirectUri, scopes }) =>
        `https://login.microsoft.test/consent ${client.clientId} ${redirectUri} ${scopes.join('+')}`;
      const away = await begin({ providerType: 'MICROSOFT', state: 's', prompt: 'none' });
      const back = fixture.microsoft.deny(away, { error: 'consent_required', error_description: planted });
      const home = await finish(back, browser, 'MICROSOFT');
      expect(asked).toEqual([{ error: 'consent_required', errorDescription: planted }]);
      expect(parameters(new URL(home))).toEqual({
        error: 'admin_consent_required',
        error_description: "The organization of the user asks for an administrator's consent.",
        provider: 'MICROSOFT',
        state: 's',
      });
      const callback = 'https://calendar.example.test/api/v1/oauth/callback/microsoft';
      const consentAt = `https://login.microsoft.test/consent microsoft-client ${callback} openid+email+calendar`;
      expect(logged.mock.calls).toEqual([
        [expect.objectContaining({ providerType: 'MICROSOFT', consentAt }), expect.stringContaining('administrator')],
      ]);
      expect(JSON.stringify(logged.mock.calls)).not.toContain('planted');
    });

    it('ends the sign-in', async () => {
      const back = fixture.google.deny(await begin(), { error: 'access_denied' });
      await finish(back);
      expect(await codeOf(finish(back))).toBe('ValidationFailed');
    });
  });

  describe('without an account for the user', () => {
    async function expectError(back: URL, error: string): Promise<void> {
      expect(parameters(back)).toMatchObject({ error, provider: 'GOOGLE' });
      expect(back.searchParams.has('endUserAccountId')).toBe(false);
      expect(fixture.accounts).toEqual([]);
    }

    it('N43 when the code, or the id_token that came with it, is not good', async () => {
      const back = fixture.google.consent(await begin(), { identity: ADA });
      back.searchParams.set('code', 'guessed');
      await expectError(new URL(await finish(back)), 'provider_error');
    });

    it('when our client is not good, and tells the operator', async () => {
      const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
      const fault = { status: 401, code: 'invalid_client', message: 'Unauthorized', retryable: false };
      fixture.google.exchangeResponse = () => ({ state: 'client-rejected', error: fault });
      await expectError(await signIn(), 'provider_error');
      expect(error.mock.calls).toEqual([
        [
          { applicationId: APPLICATION_ID, providerType: 'GOOGLE', clientId: 'google-client', provider: fault },
          'the provider refuses an OAuth client',
        ],
      ]);
    });

    it('when the provider cannot be reached', async () => {
      fixture.google.exchangeResponse = unreachable;
      await expectError(await signIn(), 'provider_error');
    });

    it('when the account cannot be used', async () => {
      fixture.connect = unreachable;
      await expectError(await signIn(), 'provider_error');
      expect(fixture.google.revoked).toEqual([]);
    });

    it('when the application is gone by now; the grant is taken back', async () => {
      fixture.connect = () => Promise.reject(new DomainError('NotFound', 'The application does not exist.'));
      await expectError(await signIn(), 'provider_error');
      expect(fixture.google.revoked).toHaveLength(1);
    });

    it('when the connect link is used by now; the grant is taken back, unless an account lives on it', async () => {
      await signIn();
      fixture.connect = () => Promise.reject(new ConnectLinkGone());
      expect(await codeOf(signIn())).toBe('NotFound');
      expect(fixture.google.revoked).toEqual([]);
      expect(await codeOf(signIn({ identity: BOB }))).toBe('NotFound');
      expect(fixture.google.revoked).toHaveLength(1);
    });

    it('when the client is gone by now', async () => {
      const back = fixture.google.consent(await begin(), { identity: ADA });
      fixture.clients.delete('GOOGLE');
      await expectError(new URL(await finish(back)), 'provider_error');
      expect(fixture.google.exchanged).toEqual([]);
    });

    it('T13 when a permission is missing; the grant is taken back', async () => {
      await expectError(await signIn({ scopes: ['openid', 'email'] }), 'missing_required_permissions');
      expect(fixture.google.revoked).toHaveLength(1);
      expect(fixture.google.refreshTokens.size).toBe(0);
    });

    it('N39 when it is not the one of the loginHint; the grant is taken back', async () => {
      await expectError(await signIn({ identity: BOB }, { loginHint: ADA.email }), 'login_hint_mismatch');
      expect(fixture.google.revoked).toHaveLength(1);
    });

    it('N39 when only the account itself tells that it is not the one of the loginHint', async () => {
      fixture.google.identifies = false;
      fixture.connect = async ({ grant }) => ({
        email: BOB.email,
        serverUrl: null,
        providerAccountId: BOB.subject,
        authorizedScopes: grant?.scopes ?? [],
        providerState: {},
      });
      await expectError(await signIn({}, { loginHint: ADA.email }), 'login_hint_mismatch');
    });

    it('and says so also when the grant cannot be taken back', async () => {
      jest.spyOn(fixture.google, 'revoke').mockImplementation(unreachable);
      await expectError(await signIn({ scopes: ['openid'] }), 'missing_required_permissions');
      expect(logged).toHaveBeenCalledTimes(1);
    });

    it('and leaves our own faults to be answered as such', async () => {
      fixture.connect = () => Promise.reject(new TypeError('a fault of ours'));
      await expect(signIn()).rejects.toThrow('a fault of ours');
    });
  });

  it('N39 takes a loginHint in any case of letters', async () => {
    const back = await signIn({}, { loginHint: 'ADA@Example.test' });
    expect(back.searchParams.get('endUserAccountId')).toBe(fixture.accounts[0]?.id);
  });

  it('N39 takes no address for the loginHint that nobody vouches for', async () => {
    const known = { ...BOB, aliases: [ADA.email] };
    const back = await signIn({ identity: known }, { loginHint: ADA.email });
    expect(parameters(back)).toMatchObject({ error: 'login_hint_mismatch' });
    expect(fixture.accounts).toEqual([]);
  });

  it('N39 takes any other address of the person for the loginHint', async () => {
    const known = { ...BOB, otherEmails: [ADA.email] };
    const back = await signIn({ identity: known }, { loginHint: ADA.email });
    expect(parameters(back)).toHaveProperty('endUserAccountId');
  });

  it('leaves the account of the same person alone when a sign-in is refused', async () => {
    await signIn();
    const before = fixture.refreshToken();
    expect(parameters(await signIn({ scopes: ['openid'] }))).toMatchObject({ error: 'missing_required_permissions' });
    expect(parameters(await signIn({}, { loginHint: BOB.email }))).toMatchObject({ error: 'login_hint_mismatch' });
    expect(fixture.refreshToken()).toBe(before);
    expect(fixture.google.revoked).toEqual([]);
    expect(fixture.google.refreshTokens.has(before)).toBe(true);
  });

  describe('with an externalId', () => {
    it('binds an account that has none, and knows it again', async () => {
      await signIn();
      expect(parameters(await signIn({}, { externalId: 'user-1' }))).toHaveProperty('endUserAccountId');
      expect(fixture.accounts[0]?.externalId).toBe('user-1');
      expect(parameters(await signIn({}, { externalId: 'user-1' }))).toHaveProperty('endUserAccountId');
      expect(parameters(await signIn())).toHaveProperty('endUserAccountId');
      expect(parameters(await signIn({}, { externalId: '' }))).toHaveProperty('endUserAccountId');
      expect(fixture.accounts[0]?.externalId).toBe('user-1');
    });

    it.each<[string, Partial<Consent>, Partial<BeginSignIn>]>([
      ['with a new grant', {}, {}],
      ['without a page', { lasting: false }, { prompt: 'none' }],
    ])('moves no account to another one: %s', async (_, consent, request) => {
      await signIn({}, { externalId: 'user-1' });
      const before = structuredClone(fixture.accounts);
      const back = await signIn(consent, { ...request, externalId: 'user-2', state: 's' });
      expect(parameters(back)).toEqual({
        error: 'external_id_mismatch',
        error_description: 'The account belongs to another user of the application.',
        provider: 'GOOGLE',
        state: 's',
      });
      expect(fixture.accounts).toEqual(before);
      // The account lives on a grant of the same person and client.
      expect(fixture.google.revoked).toEqual([]);
      expect(JSON.stringify(logged.mock.calls)).not.toMatch(/user-[12]/);
      expect(logged).toHaveBeenCalledTimes(1);
    });

    it('moves no account that only the provider itself can name', async () => {
      fixture.google.identifies = false;
      const { connect } = fixture;
      fixture.connect = async (request) => ({
        ...(await connect(request)),
        email: ADA.email,
        providerAccountId: '1001',
      });
      await signIn({}, { externalId: 'user-1' });
      expect(parameters(await signIn({}, { externalId: 'user-2' }))).toMatchObject({ error: 'external_id_mismatch' });
      expect(fixture.accounts).toEqual([expect.objectContaining({ externalId: 'user-1' })]);
    });

    it('moves no account that another sign-in bound meanwhile', async () => {
      const back = fixture.google.consent(await begin({ externalId: 'user-2' }), { identity: ADA });
      const { connect } = fixture;
      fixture.connect = async (request) => {
        fixture.connect = connect;
        await signIn({}, { externalId: 'user-1' });
        return connect(request);
      };
      expect(parameters(new URL(await finish(back)))).toMatchObject({ error: 'external_id_mismatch' });
      expect(fixture.accounts).toEqual([expect.objectContaining({ externalId: 'user-1' })]);
    });

    it('gives the grant back that another client of the application got for nothing', async () => {
      await signIn({}, { externalId: 'user-1' });
      fixture.sharesGrants = false;
      expect(parameters(await signIn({}, { externalId: 'user-2' }))).toMatchObject({ error: 'external_id_mismatch' });
      expect(fixture.google.revoked).toHaveLength(1);
    });
  });

  describe('by an address that the application has made', () => {
    const GIVEN = { loginHint: ADA.email, state: 'a/b+c=', externalId: 'user-1', prompt: 'consent' as const };

    async function prepared(request: Partial<SignInRequest> = GIVEN, applicationId = APPLICATION_ID): Promise<URL> {
      const { url, expiresAt } = await fixture.service.prepare(
        { applicationId },
        { providerType: 'GOOGLE', ...request },
      );
      expect(Date.parse(expiresAt) - fixture.nowMs).toBe(SIGN_IN_LIFETIME_MS);
      return new URL(url);
    }

    const secretOf = ({ searchParams }: URL) => searchParams.get('request') ?? '';

    async function expectNone(opening: Promise<unknown>): Promise<void> {
      await expect(opening).rejects.toMatchObject({ code: 'ValidationFailed', details: [{ path: 'request' }] });
      expect(fixture.attempts.kept.size).toBe(0);
    }

    it('connects the account with all that was fixed', async () => {
      const url = await prepared();
      expect(url.href).toMatch(
        new RegExp(
          `^https://calendar\\.example\\.test/api/v1/oauth/authorize/${APPLICATION_ID}/google\\?request=[\\w-]{43}$`,
        ),
      );
      expect(url.href).not.toMatch(/user-1|ada/);
      const away = await begin({ request: secretOf(url) });
      expect(new URL(away).searchParams.get('login_hint')).toBe(ADA.email);
      expect(new URL(away).searchParams.get('prompt')).toBe('consent');
      const home = new URL(await finish(fixture.google.consent(away, { identity: ADA })));
      expect(parameters(home)).toEqual({ endUserAccountId: fixture.accounts[0]?.id, state: GIVEN.state });
      expect(fixture.accounts).toEqual([expect.objectContaining({ externalId: 'user-1' })]);
    });

    it('re-binds no account either', async () => {
      await signIn({}, { externalId: 'user-2' });
      const away = await begin({ request: secretOf(await prepared()) });
      const home = new URL(await finish(fixture.google.consent(away, { identity: ADA })));
      expect(parameters(home)).toMatchObject({ error: 'external_id_mismatch' });
    });

    it('is opened once, also by many at once', async () => {
      const request = secretOf(await prepared());
      const opened = await Promise.allSettled(Array.from({ length: 5 }, () => begin({ request }, newSecret())));
      expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      fixture.attempts.kept.clear();
      await expectNone(begin({ request }));
    });

    it('is over after ten minutes', async () => {
      const request = secretOf(await prepared());
      fixture.nowMs += SIGN_IN_LIFETIME_MS;
      await expectNone(begin({ request }));
    });

    it('is kept under a hash', async () => {
      const request = secretOf(await prepared());
      const [hash] = fixture.attempts.prepared.keys();
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      expect(JSON.stringify([...fixture.attempts.prepared.values()])).not.toContain(request);
    });

    it('is no use to another application or at another provider, and is not used up there', async () => {
      const request = secretOf(await prepared());
      await expectNone(begin({ request, applicationId: OTHER_APPLICATION_ID }));
      await expectNone(begin({ request, providerType: 'MICROSOFT' }));
      expect(await begin({ request })).toContain('https://accounts.google.test/');
    });

    it.each(['', 'x', 'x'.repeat(43), `${'x'.repeat(42)}.`])('is refused as %j', async (request) => {
      await expectNone(begin({ request }));
    });

    it.each([
      ['externalId', { externalId: 'user-2' }],
      ['externalId', { externalId: '' }],
      ['loginHint', { loginHint: BOB.email }],
      ['redirectUrl', { redirectUrl: REDIRECT_URL }],
      ['state', { state: 's' }],
      ['prompt', { prompt: 'none' as const }],
    ])('takes no %s besides, and is not used up by it', async (path, added) => {
      const request = secretOf(await prepared());
      await expect(begin({ request, ...added })).rejects.toMatchObject({
        code: 'ValidationFailed',
        details: [{ path }],
      });
      expect(await begin({ request })).toContain('https://accounts.google.test/');
    });

    it('leads to no redirect URL that the application does not have, nor has any more', async () => {
      const path = { code: 'ValidationFailed', details: [{ path: 'redirectUrl' }] };
      await expect(prepared({ redirectUrl: 'https://evil.test/' })).rejects.toMatchObject(path);
      const request = secretOf(await prepared());
      fixture.redirectUrls = ['https://other.example.test/'];
      await expect(begin({ request })).rejects.toMatchObject(path);
    });

    it('is not made where nobody can sign in', async () => {
      expect(await codeOf(prepared({ providerType: 'CALDAV' }))).toBe('NotSupportedByProvider');
      fixture.clients.delete('GOOGLE');
      expect(await codeOf(prepared())).toBe('NotSupportedByProvider');
      expect(fixture.attempts.prepared.size).toBe(0);
    });

    it('is the only one that says an externalId, where the application wants that', async () => {
      fixture.requiresSignedLinks = true;
      for (const externalId of ['user-1', '']) {
        await expect(begin({ externalId })).rejects.toMatchObject({
          code: 'ValidationFailed',
          details: [{ path: 'externalId' }],
        });
      }
      expect(await begin({ loginHint: ADA.email })).toContain('https://accounts.google.test/');
      expect(await begin({ request: secretOf(await prepared()) })).toContain('https://accounts.google.test/');
    });
  });

  it('takes nothing back that was not granted now', async () => {
    await signIn({ scopes: ['openid'], lasting: false });
    expect(fixture.google.revoked).toEqual([]);
  });

  describe('without a refresh token', () => {
    const lasting = false;

    it('keeps the one of the account while that still works, with the new access token', async () => {
      await signIn();
      const before = { ...fixture.accounts[0]?.credentials };
      const back = await signIn({ lasting }, { prompt: 'select_account' });
      expect(back.searchParams.get('endUserAccountId')).toBe(fixture.accounts[0]?.id);
      expect(fixture.accounts[0]?.credentials).toMatchObject({
        refreshToken: (before as { refreshToken: string }).refreshToken,
      });
      expect(fixture.accounts[0]?.credentials).not.toEqual(before);
    });

    it('loses no refresh token that came in place of the one of the account, whatever becomes of the sign-in', async () => {
      await signIn();
      const before = fixture.refreshToken();
      fixture.google.rotates = true;
      fixture.connect = async () => {
        throw new DomainError('ProviderUnavailable', 'away');
      };
      expect(parameters(await signIn({ lasting }, { prompt: 'none' }))).toMatchObject({ error: 'provider_error' });
      expect(fixture.refreshToken()).not.toBe(before);
      expect([...fixture.google.refreshTokens.keys()]).toEqual([fixture.refreshToken()]);
    });

    it.each(['select_account', 'consent', undefined] as const)(
      'asks once more for consent (prompt %s)',
      async (prompt) => {
        const again = await signIn({ lasting }, { prompt, state: 's' });
        expect(again.origin).toBe(fixture.google.issuer);
        expect(parameters(again)).toMatchObject({ prompt: 'consent', login_hint: ADA.subject });
        const back = new URL(await finish(fixture.google.consent(again.href, { identity: ADA })));
        expect(parameters(back)).toEqual({ endUserAccountId: fixture.accounts[0]?.id, state: 's' });
      },
    );

    it('asks with a new state, nonce and verifier, and with the lifetime of a new sign-in', async () => {
      const first = await begin();
      fixture.nowMs += SIGN_IN_LIFETIME_MS - 1;
      const again = await finish(fixture.google.consent(first, { identity: ADA, lasting }));
      for (const name of ['state', 'nonce', 'code_challenge']) {
        expect(new URL(again).searchParams.get(name)).not.toBe(new URL(first).searchParams.get(name));
      }
      fixture.nowMs += SIGN_IN_LIFETIME_MS - 1;
      await finish(fixture.google.consent(again, { identity: ADA }));
      expect(fixture.accounts).toHaveLength(1);
    });

    it('gives up after the second time', async () => {
      const again = await signIn({ lasting });
      const back = new URL(await finish(fixture.google.consent(again.href, { identity: ADA, lasting })));
      expect(parameters(back)).toMatchObject({ error: 'provider_error' });
      expect(fixture.accounts).toEqual([]);
    });

    it('N39 still wants the account of the loginHint the second time', async () => {
      const again = await signIn({ lasting }, { loginHint: ADA.email });
      const back = new URL(await finish(fixture.google.consent(again.href, { identity: BOB })));
      expect(parameters(back)).toMatchObject({ error: 'login_hint_mismatch' });
      expect(fixture.accounts).toEqual([]);
    });

    it('cannot ask anything with prompt=none', async () => {
      expect(parameters(await signIn({ lasting }, { prompt: 'none' }))).toMatchObject({
        error: 'interaction_required',
      });
      expect(fixture.accounts).toEqual([]);
    });

    it('connects again with prompt=none while the stored one works', async () => {
      await signIn();
      const back = await signIn({ lasting }, { prompt: 'none' });
      expect(back.searchParams.get('endUserAccountId')).toBe(fixture.accounts[0]?.id);
    });

    it.each<[string, () => void]>([
      ['does not work any more', () => fixture.google.refreshTokens.clear()],
      [
        'was given to another client',
        () => fixture.clients.set('GOOGLE', { ...fixture.clients.get('GOOGLE')!, clientId: 'new' }),
      ],
      ['is not good for all that is asked for', () => (fixture.accounts[0]!.authorizedScopes = ['openid'])],
    ])('does not keep one that %s', async (_, change) => {
      await signIn();
      change();
      expect((await signIn({ lasting })).origin).toBe(fixture.google.issuer);
    });
  });

  describe('N38 the state of the application', () => {
    it.each([
      ['CRLF', 'a\r\nset-cookie: x=y\r\n\r\n<html>'],
      ['separators', 'a&endUserAccountId=mine&error=x#fragment?=%26'],
      ['base64', 'eyJhIjoiYiJ9+/=='],
      ['spaces and plus', ' a + b '],
      ['HTML', '<img src=x onerror=alert(1)>'],
      ['other scripts', 'Grüße 日本 👩‍👩‍👧'],
      ['4,096 characters', 'x'.repeat(4096)],
      ['nothing', ''],
    ])('comes back unchanged and encoded: %s', async (_, state) => {
      for (const back of [await signIn({}, { state }), await signIn({ scopes: [] }, { state })]) {
        expect(back.searchParams.getAll('state')).toEqual([state]);
        expect(back.searchParams.getAll('endUserAccountId').length + back.searchParams.getAll('error').length).toBe(1);
        expect(back.href).toMatch(/^[\x21-\x7e]+$/);
        expect(back.hash).toBe('');
        // Read the other usual way, without form decoding.
        expect(decodeURIComponent(/[?&]state=([^&]*)/.exec(back.href)?.[1] ?? '')).toBe(state);
      }
    });
  });

  it('N55 logs neither codes nor states, verifiers, tokens or cookies', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const secrets: string[] = [browser];
    for (const response of [unreachable, null]) {
      fixture.google.exchangeResponse = response;
      const back = fixture.google.consent(await begin(), { identity: ADA, scopes: [] });
      if (response === null) jest.spyOn(fixture.google, 'revoke').mockImplementation(unreachable);
      secrets.push(back.searchParams.get('code') as string, back.searchParams.get('state') as string);
      secrets.push(...[...fixture.attempts.kept.values()].flatMap(({ codeVerifier, nonce }) => [codeVerifier, nonce]));
      await finish(back);
    }
    secrets.push(...fixture.google.refreshTokens.keys());
    const lines = JSON.stringify([...logged.mock.calls, ...error.mock.calls], (_, value: unknown) =>
      value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value,
    );
    expect(logged).toHaveBeenCalledTimes(2);
    expect(secrets.length).toBeGreaterThan(7);
    for (const secret of secrets) expect(lines).not.toContain(secret);
  });
});
