import { FULL_SCOPES, GRANULAR_SCOPES, startSandbox, type Sandbox } from '../support/sandbox.js';
import { boxes, pkce, Visitor, type Visit } from './visitor.js';

const CLIENT = {
  clientId: 'cid-1.apps.sandbox',
  clientSecret: 'secret-1',
  redirectUris: ['http://127.0.0.1:9/callback', 'http://127.0.0.1:9/other?kept=1'],
};
const ADA = 'ada@example.com';
const GRACE = 'grace@example.com';

describe('the sign-in of the sandbox', () => {
  let sandbox: Sandbox;
  let visitor: Visitor;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });

  beforeEach(async () => {
    await sandbox.reset();
    await sandbox.addClient(CLIENT);
    await sandbox.addUser({ email: ADA, sub: '108000000000000000001' });
    await sandbox.addUser({ email: GRACE });
    visitor = new Visitor(sandbox.googleUrl);
  });

  afterAll(async () => {
    await sandbox?.stop();
  });

  const authorizeUrl = (parameters: Record<string, string | undefined> = {}): string => {
    const url = new URL('/o/oauth2/v2/auth', sandbox.googleUrl);
    const all = {
      client_id: CLIENT.clientId,
      redirect_uri: CLIENT.redirectUris[0],
      response_type: 'code',
      scope: FULL_SCOPES.join(' '),
      state: 's-1',
      access_type: 'offline',
      ...parameters,
    };
    for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
    return url.href;
  };
  const token = async (form: Record<string, string>): Promise<{ status: number; body: any }> => {
    const response = await fetch(`${sandbox.googleUrl}/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, ...form }),
    });
    return { status: response.status, body: await response.json() };
  };
  const exchange = async (back: Visit, form: Record<string, string> = {}): Promise<{ status: number; body: any }> =>
    token({
      grant_type: 'authorization_code',
      code: back.url.searchParams.get('code') ?? '',
      redirect_uri: CLIENT.redirectUris[0] ?? '',
      ...form,
    });
  const responseOf = ({ url }: Visit): Record<string, string> => Object.fromEntries(url.searchParams);

  describe('pages', () => {
    it('asks for the account, then for consent, and goes back with a code, the scopes and the state', async () => {
      const chooser = await visitor.open(authorizeUrl());
      expect(chooser.body).toContain(`data-testid="account-${ADA}"`);
      expect(chooser.body).toContain(`data-testid="account-${GRACE}"`);
      const consent = await visitor.chooseAccount(chooser, ADA);
      expect(consent.body).toContain(CLIENT.clientId);
      const back = await visitor.allow(consent);
      expect(back.url.href).toMatch(/^http:\/\/127\.0\.0\.1:9\/callback\?/);
      expect(responseOf(back)).toMatchObject({
        state: 's-1',
        iss: 'https://accounts.google.com',
        code: expect.stringMatching(/^4\/0A/),
        scope: expect.stringContaining('auth/userinfo.email'),
      });
    });

    it('keeps the query of the redirect URI', async () => {
      const back = await visitor.signIn(authorizeUrl({ redirect_uri: CLIENT.redirectUris[1] }), ADA);
      expect(responseOf(back)).toMatchObject({ kept: '1', state: 's-1' });
    });

    it('has a box for each scope beside the sign-in ones when there are several, none for a single one', async () => {
      expect(boxes(await visitor.chooseAccount(await visitor.open(authorizeUrl()), ADA))).toEqual([]);
      const granular = authorizeUrl({ scope: GRANULAR_SCOPES.join(' '), prompt: 'select_account' });
      const consent = await visitor.chooseAccount(await visitor.open(granular), ADA);
      expect(boxes(consent)).toEqual(GRANULAR_SCOPES.slice(2));
    });

    it('grants what is ticked, and asks again for the rest alone', async () => {
      const url = authorizeUrl({ scope: GRANULAR_SCOPES.join(' ') });
      const back = await visitor.allow(await visitor.chooseAccount(await visitor.open(url), ADA), ['calendar.events']);
      const { body } = await exchange(back);
      expect(body.scope.split(' ').sort()).toEqual([
        'https://www.googleapis.com/auth/calendar.calendarlist',
        'https://www.googleapis.com/auth/userinfo.email',
        'openid',
      ]);
      expect(responseOf(back).scope).toBe(body.scope);
      expect(boxes(await visitor.open(url))).toEqual([GRANULAR_SCOPES[3]]);
    });

    it('goes back with access_denied on Cancel, and when every box of a request without sign-in scopes is empty', async () => {
      const consent = await visitor.chooseAccount(await visitor.open(authorizeUrl()), ADA);
      expect(responseOf(await visitor.cancel(consent))).toEqual({ error: 'access_denied', state: 's-1' });
      const url = authorizeUrl({ scope: GRANULAR_SCOPES.slice(2).join(' ') });
      const none = await visitor.allow(await visitor.open(url), ['calendar.events', 'calendar.calendarlist']);
      expect(responseOf(none)).toEqual({ error: 'access_denied', state: 's-1' });
      expect((await visitor.open(authorizeUrl({ prompt: 'none' }))).url.searchParams.get('error')).toBe(
        'interaction_required',
      );
    });

    it('makes an account for an address that has none, and asks again for what is no address', async () => {
      const chooser = await visitor.open(authorizeUrl());
      const again = await visitor.chooseAccount(chooser, 'not an address');
      expect(again.status).toBe(400);
      expect(again.body).toContain('data-testid="problem"');
      await visitor.allow(await visitor.chooseAccount(again, 'new.person@example.org'));
      expect(await sandbox.users()).toContainEqual(
        expect.objectContaining({ email: 'new.person@example.org', name: 'New Person', timeZone: 'UTC' }),
      );
    });

    it('shows nothing of a sign-in that is over, or whose user or client went meanwhile', async () => {
      const consent = await visitor.chooseAccount(await visitor.open(authorizeUrl()), ADA);
      await visitor.allow(consent);
      expect((await visitor.allow(consent)).status).toBe(400);
      const second = await visitor.chooseAccount(
        await visitor.open(authorizeUrl({ prompt: 'select_account consent' })),
        ADA,
      );
      await sandbox.removeUser(ADA);
      expect((await visitor.allow(second)).status).toBe(400);
      const third = await visitor.chooseAccount(await visitor.open(authorizeUrl()), GRACE);
      await sandbox.deleteClient(CLIENT.clientId);
      expect((await visitor.allow(third)).status).toBe(400);
    });

    it('N20 shows what was sent to it as text', async () => {
      const script = `"><script>alert(1)</script>`;
      const faulty = await visitor.open(authorizeUrl({ client_id: script, redirect_uri: script }));
      const hinted = await visitor.open(authorizeUrl({ login_hint: script }));
      const chosen = await visitor.chooseAccount(hinted, script);
      for (const { body, headers } of [faulty, hinted, chosen]) {
        expect(body).not.toContain('<script');
        expect(headers.get('content-security-policy')).toContain("default-src 'none'");
        expect(headers.get('cache-control')).toBe('no-store');
      }
    });
  });

  describe('prompt, login_hint and the session', () => {
    it('asks a signed-in user for nothing that is granted already, and gives no refresh token then', async () => {
      await exchange(await visitor.signIn(authorizeUrl(), ADA));
      const back = await visitor.open(authorizeUrl());
      expect(responseOf(back).prompt).toBe('none');
      expect((await exchange(back)).body).not.toHaveProperty('refresh_token');
    });

    it('asks for consent again with prompt=consent, and gives a refresh token', async () => {
      await visitor.signIn(authorizeUrl(), ADA);
      const back = await visitor.allow(await visitor.open(authorizeUrl({ prompt: 'consent' })));
      expect((await exchange(back)).body.refresh_token).toMatch(/^1\/\//);
    });

    it('gives no refresh token without access_type=offline', async () => {
      const back = await visitor.signIn(authorizeUrl({ access_type: undefined }), ADA);
      expect((await exchange(back)).body).not.toHaveProperty('refresh_token');
    });

    it('gives a refresh token again once the grant was revoked', async () => {
      await visitor.signIn(authorizeUrl(), ADA);
      await sandbox.revoke(ADA, CLIENT.clientId);
      const back = await visitor.signIn(authorizeUrl(), ADA);
      expect((await exchange(back)).body.refresh_token).toBeDefined();
    });

    it('shows the accounts again with prompt=select_account', async () => {
      await visitor.signIn(authorizeUrl(), ADA);
      const chooser = await visitor.open(authorizeUrl({ prompt: 'select_account' }));
      expect(chooser.body).toContain(`data-testid="account-${ADA}"`);
    });

    it('answers prompt=none with a code when nothing has to be asked, else with interaction_required', async () => {
      const none = authorizeUrl({ prompt: 'none' });
      const required = { error: 'interaction_required', error_subtype: 'access_denied', state: 's-1' };
      expect(responseOf(await visitor.open(none))).toEqual(required);
      await visitor.chooseAccount(await visitor.open(authorizeUrl()), ADA);
      expect(responseOf(await visitor.open(none))).toEqual(required);
      await visitor.signIn(authorizeUrl(), ADA);
      expect(responseOf(await visitor.open(none))).toHaveProperty('code');
      const more = authorizeUrl({ prompt: 'none', scope: GRANULAR_SCOPES.join(' ') });
      expect(responseOf(await visitor.open(more))).toEqual(required);
    });

    it('picks the session that login_hint names, by address or sub, but leaves the choice to the user', async () => {
      await visitor.signIn(authorizeUrl(), ADA);
      await visitor.signIn(authorizeUrl({ prompt: 'select_account' }), GRACE);
      expect((await visitor.open(authorizeUrl())).body).toContain('data-testid="account-');
      for (const hint of [ADA.toUpperCase(), '108000000000000000001']) {
        const { body } = await exchange(await visitor.open(authorizeUrl({ login_hint: hint, prompt: 'none' })));
        expect(claimsOf(body.id_token).email).toBe(ADA);
      }
      const unknown = await visitor.open(authorizeUrl({ login_hint: 'someone@example.com' }));
      expect(unknown.body).toContain('value="someone@example.com"');
      const other = await exchange(await visitor.chooseAccount(unknown, GRACE));
      expect(claimsOf(other.body.id_token).email).toBe(GRACE);
    });

    it('adds what was granted before with include_granted_scopes alone', async () => {
      await visitor.signIn(authorizeUrl({ scope: 'openid https://www.googleapis.com/auth/calendar.events' }), ADA);
      const less = { scope: 'openid' };
      const narrow = await exchange(await visitor.open(authorizeUrl(less)));
      expect(narrow.body.scope).toBe('openid');
      const wide = await exchange(await visitor.open(authorizeUrl({ ...less, include_granted_scopes: 'true' })));
      expect(wide.body.scope).toBe('https://www.googleapis.com/auth/calendar.events openid');
    });
  });

  describe('faults of the request', () => {
    const faults: [string, Record<string, string | undefined>, string, boolean][] = [
      ['another redirect URI', { redirect_uri: 'http://127.0.0.1:9/callback/' }, '400: redirect_uri_mismatch', false],
      ['an unknown client', { client_id: 'nobody' }, '401: invalid_client', false],
      ['another response type', { response_type: 'token' }, '400: unsupported_response_type', true],
      ['an unknown scope', { scope: 'openid calendar' }, '400: invalid_scope', true],
      ['no scope', { scope: undefined }, '400: invalid_request', true],
      ['a prompt that Google has not', { prompt: 'login' }, '400: invalid_request', true],
      ['none beside another prompt', { prompt: 'none consent' }, '400: invalid_request', true],
      ['a parameter that Google has not', { promt: 'consent' }, '400: invalid_request', true],
      ['an access type that Google has not', { access_type: 'Offline' }, '400: invalid_request', true],
      [
        'a challenge that is no SHA-256',
        { code_challenge: 'x'.repeat(44), code_challenge_method: 'S256' },
        '400: invalid_request',
        true,
      ],
      ['a method without challenge', { code_challenge_method: 'S256' }, '400: invalid_request', true],
    ];

    it.each(faults)('shows %s on a page of its own', async (_, parameters, shown, isViolation) => {
      const page = await visitor.open(authorizeUrl(parameters));
      expect(page.status).toBe(400);
      expect(page.body).toContain(`Error ${shown}`);
      expect(await sandbox.violations()).toHaveLength(isViolation ? 1 : 0);
    });

    it('tells a deleted client from an unknown one', async () => {
      await sandbox.deleteClient(CLIENT.clientId);
      expect((await visitor.open(authorizeUrl())).body).toContain('Error 401: deleted_client');
      expect(await token({ grant_type: 'refresh_token', refresh_token: 'x' })).toEqual({
        status: 401,
        body: { error: 'deleted_client', error_description: 'The OAuth client was deleted.' },
      });
    });

    it('refuses a parameter that is given twice', async () => {
      expect((await visitor.open(`${authorizeUrl()}&state=2`)).body).toContain('invalid_request');
    });
  });

  describe('the exchange of a code', () => {
    it('takes a code once', async () => {
      const back = await visitor.signIn(authorizeUrl(), ADA);
      expect((await exchange(back)).status).toBe(200);
      expect(await exchange(back)).toEqual({
        status: 400,
        body: { error: 'invalid_grant', error_description: 'Bad Request' },
      });
    });

    it('takes no code after ten minutes, nor one whose grant is gone', async () => {
      const late = await visitor.signIn(authorizeUrl(), ADA);
      await sandbox.advanceClock(10 * 60_000);
      expect((await exchange(late)).body.error).toBe('invalid_grant');
      const gone = await visitor.signIn(authorizeUrl({ prompt: 'consent' }), ADA);
      await sandbox.revoke(ADA);
      expect((await exchange(gone)).body.error).toBe('invalid_grant');
    });

    it('binds a code to its client and its redirect URI', async () => {
      const other = { clientId: 'cid-2', clientSecret: 'secret-2', redirectUris: CLIENT.redirectUris };
      await sandbox.addClient(other);
      const back = await visitor.signIn(authorizeUrl(), ADA);
      const foreign = await exchange(back, { client_id: 'cid-2', client_secret: 'secret-2' });
      expect(foreign.body.error).toBe('invalid_grant');
      const elsewhere = await exchange(back, { redirect_uri: CLIENT.redirectUris[1] ?? '' });
      expect(elsewhere).toMatchObject({ status: 400, body: { error: 'redirect_uri_mismatch' } });
      expect((await exchange(back)).status).toBe(200);
    });

    it.each(['S256', 'plain'])('wants the verifier of a %s challenge, and none without one', async (method) => {
      const { verifier, challenge } = pkce();
      const parameters = { code_challenge: method === 'S256' ? challenge : verifier, code_challenge_method: method };
      const back = await visitor.signIn(authorizeUrl(parameters), ADA);
      const rejected = async (form: Record<string, string>): Promise<string> =>
        (await exchange(back, form)).body.error_description;
      expect(await rejected({})).toBe('Missing code verifier.');
      expect(await rejected({ code_verifier: pkce().verifier })).toBe('Invalid code verifier.');
      expect((await exchange(back, { code_verifier: verifier })).status).toBe(200);
      const without = await visitor.signIn(authorizeUrl(), ADA);
      const needless = await exchange(without, { code_verifier: verifier });
      expect(needless.body.error_description).toBe('code_verifier or verifier is not needed.');
    });

    it('answers with scopes under their full names, in an order of its own', async () => {
      const { body } = await exchange(await visitor.signIn(authorizeUrl(), ADA));
      expect(body).toMatchObject({
        expires_in: 3599,
        token_type: 'Bearer',
        scope: 'https://www.googleapis.com/auth/calendar https://www.googleapis.com/auth/userinfo.email openid',
      });
    });

    it('gives an id_token with openid alone, with the email and the nonce that were asked for', async () => {
      const back = await visitor.signIn(authorizeUrl({ nonce: 'n-1' }), ADA);
      expect(claimsOf((await exchange(back)).body.id_token)).toMatchObject({
        iss: 'https://accounts.google.com',
        aud: CLIENT.clientId,
        azp: CLIENT.clientId,
        sub: '108000000000000000001',
        email: ADA,
        email_verified: true,
        nonce: 'n-1',
      });
      const withoutOpenid = authorizeUrl({ scope: 'https://www.googleapis.com/auth/calendar' });
      expect((await exchange(await visitor.signIn(withoutOpenid, ADA))).body).not.toHaveProperty('id_token');
      const anonymous = await exchange(await visitor.signIn(authorizeUrl({ scope: 'openid' }), ADA));
      expect(claimsOf(anonymous.body.id_token)).not.toHaveProperty('email');
    });
  });
});

function claimsOf(idToken: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<string, unknown>;
}
