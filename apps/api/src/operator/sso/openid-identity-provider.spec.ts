import { exportJWK, generateKeyPair } from 'jose';
import type { SsoDecision } from '#domain/operator';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import {
  forgeries,
  keySet,
  publishedKey,
  signed as signedWith,
  uselessKeySets,
} from '#providers/kit/testing/signed-id-tokens';
import { INDETERMINATE_RESPONSES } from '#providers/kit/testing/undecided-tokens';
import { OpenIdIdentityProvider } from './openid-identity-provider.js';

const ISSUER = 'https://id.example/tenant';
const NOW = Date.UTC(2026, 10, 21, 12);
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: 'https://id.example/authorize?realm=house',
  token_endpoint: 'https://tokens.example/token',
  jwks_uri: 'https://id.example/keys',
};
const CLAIMS = {
  iss: ISSUER,
  aud: 'cid-1',
  sub: '248289761001',
  email: 'Mara.Field@example.com',
  email_verified: true,
  name: 'Mara Field',
  nonce: 'n-1',
  iat: NOW / 1_000,
  exp: NOW / 1_000 + 300,
};
const DISCOVERY = 'GET /tenant/.well-known/openid-configuration';
const TOKEN = 'POST /token';
const KEYS = 'GET /keys';
const SECRET = 'canary secret+%';

const signed = (claims: object = {}, header = {}) => signedWith({ ...CLAIMS, ...claims }, header);
const signal = new AbortController().signal;

function bench({
  metadata = {},
  token = {},
  keys = keySet(),
}: {
  metadata?: object;
  token?: Scripted;
  keys?: Scripted;
}) {
  const clock = { monotonicMs: 0 };
  const egress = new ScriptedEgress()
    .on(DISCOVERY, { json: { ...METADATA, ...metadata } })
    .on(TOKEN, token)
    .on(KEYS, keys);
  const provider = new OpenIdIdentityProvider(
    { issuer: ISSUER, clientId: 'cid-1', clientSecret: SECRET, label: 'SandboxState' },
    { egress, nowMs: () => NOW, monotonicMs: () => clock.monotonicMs },
  );
  const exchange = () =>
    provider.exchange({
      ...{ redirectUri: 'https://app.example/cb', code: 'canary-code', codeVerifier: 'canary-verifier' },
      ...{ nonce: 'n-1', signal },
    });
  return { clock, egress, provider, exchange };
}

const withIdToken = async (claims: object = {}, header = {}) => ({
  json: { access_token: 'a', token_type: 'Bearer', id_token: await signed(claims, header) },
});
const identityOf = (decision: SsoDecision) => (decision.state === 'identified' ? decision.identity : decision.state);
const sentForm = ({ requests }: ScriptedEgress) => {
  const sent = requests.find(({ method }) => method === 'POST');
  return { url: sent?.url, headers: sent?.headers, form: Object.fromEntries(new URLSearchParams(String(sent?.body))) };
};

describe('discovery', () => {
  it('tells where browsers are sent, and asks once an hour', async () => {
    const { provider, clock, egress } = bench({});
    expect(await provider.endpoint(signal)).toMatchObject({
      authorizationEndpoint: 'https://id.example/authorize?realm=house',
      clientId: 'cid-1',
      scopes: ['openid', 'email', 'profile'],
    });
    clock.monotonicMs += 3_599_999;
    await provider.endpoint(signal);
    expect(egress.lines).toEqual(['GET /tenant/.well-known/openid-configuration']);
    clock.monotonicMs += 1;
    await provider.endpoint(signal);
    expect(egress.lines).toHaveLength(2);
  });

  it.each<[string, object]>([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['an issuer that only looks the same', { issuer: `${ISSUER}/` }],
    ['no issuer', { issuer: undefined }],
    ['no authorization endpoint', { authorization_endpoint: undefined }],
    ['a script for an authorization endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
    ['an authorization endpoint without encryption', { authorization_endpoint: 'http://id.example/authorize' }],
    ['a token endpoint without encryption', { token_endpoint: 'http://tokens.example/token' }],
    ['no keys', { jwks_uri: 7 }],
    ['no way to prove who we are', { token_endpoint_auth_methods_supported: ['private_key_jwt'] }],
  ])('sends nobody anywhere after %s', async (_, metadata) => {
    const { provider, exchange, egress } = bench({ metadata });
    await expect(provider.endpoint(signal)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    await expect(exchange()).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(sentForm(egress).url).toBeUndefined();
  });

  it.each<Scripted>([{ status: 404, json: METADATA }, { text: '<html>' }, { json: [] }, 'reset', 'address-blocked'])(
    'comes to nothing after %j, and asks again the next time',
    async (failure) => {
      const { provider, egress } = bench({});
      egress.on(DISCOVERY, failure, { json: METADATA });
      await expect(provider.endpoint(signal)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
      await expect(provider.endpoint(signal)).resolves.toMatchObject({ clientId: 'cid-1' });
    },
  );

  it('trusts plain http where the issuer is', async () => {
    const issuer = 'http://127.0.0.1:9/oidc';
    const urls = { authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t`, jwks_uri: `${issuer}/k` };
    const egress = new ScriptedEgress().on('GET /oidc/.well-known/openid-configuration', { json: { issuer, ...urls } });
    const settings = { issuer, clientId: 'c', clientSecret: 's', label: 'l' };
    const provider = new OpenIdIdentityProvider(settings, { egress, nowMs: () => NOW });
    expect(await provider.endpoint(signal)).toMatchObject({ authorizationEndpoint: `${issuer}/a` });
  });

  it('N36 knows the issuer of a response, and misses it where it is promised (RFC 9207)', async () => {
    const silent = await bench({}).provider.endpoint(signal);
    expect([undefined, ISSUER, 'https://evil.example', `${ISSUER}/`].map((iss) => silent.isIssuer(iss))).toEqual([
      ...[true, true, false, false],
    ]);
    const metadata = { authorization_response_iss_parameter_supported: true };
    const naming = await bench({ metadata }).provider.endpoint(signal);
    expect([undefined, ISSUER, ''].map((iss) => naming.isIssuer(iss))).toEqual([false, true, false]);
  });
});

describe('the code', () => {
  it('goes with its verifier, proven by Basic, and comes back as who it was', async () => {
    const { exchange, egress } = bench({ token: await withIdToken() });
    expect(await exchange()).toEqual({
      state: 'identified',
      identity: {
        issuer: ISSUER,
        subject: '248289761001',
        verifiedEmail: 'mara.field@example.com',
        name: 'Mara Field',
        authenticatedAt: null,
      },
    });
    const { url, headers, form } = sentForm(egress);
    expect(url).toBe('https://tokens.example/token');
    expect(headers?.['authorization']).toBe(`Basic ${btoa('cid-1:canary+secret%2B%25')}`);
    expect(form).toEqual({
      grant_type: 'authorization_code',
      code: 'canary-code',
      code_verifier: 'canary-verifier',
      redirect_uri: 'https://app.example/cb',
    });
  });

  it('goes with the secret in the form where that is all that is offered', async () => {
    const metadata = { token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_post'] };
    const { exchange, egress } = bench({ metadata, token: await withIdToken() });
    expect(await exchange()).toMatchObject({ state: 'identified' });
    const { headers, form } = sentForm(egress);
    expect(headers).not.toHaveProperty('authorization');
    expect(form).toMatchObject({ client_id: 'cid-1', client_secret: SECRET });
  });

  it.each<[string, Scripted, string]>([
    ['a refused code', { status: 400, json: { error: 'invalid_grant', error_description: 'canary' } }, 'invalid_grant'],
    ['a refused client', { status: 401, json: { error: 'invalid_client' } }, 'invalid_client'],
    ['a refusal in no code', { status: 403, json: { error: 'canary words' } }, 'no_id_token'],
    ['tokens without an id_token', { json: { access_token: 'a', token_type: 'Bearer' } }, 'no_id_token'],
  ])('is refused after %s', async (_, token, code) => {
    const decision = await bench({ token }).exchange();
    expect(decision).toMatchObject({ state: 'rejected', error: { code, retryable: false } });
    expect(JSON.stringify(decision)).not.toContain('canary');
  });

  it.each(INDETERMINATE_RESPONSES)('is undecided after %s', async (_, token, thrown) => {
    await expect(bench({ token }).exchange()).rejects.toMatchObject(thrown);
  });
});

describe('the id_token', () => {
  it.each(forgeries(CLAIMS, NOW))('N43 proves nothing with %s', async (_, forge) => {
    const { exchange } = bench({ token: { json: { id_token: await forge() } } });
    expect(await exchange()).toMatchObject({ state: 'rejected', error: { code: 'invalid_id_token' } });
  });

  it.each<[string, object]>([
    ['made for somebody else as well', { aud: ['cid-1', 'cid-2'] }],
    ['made by another client', { azp: 'cid-2' }],
    ['about a name that nobody can have', { sub: 'x'.repeat(256) }],
    ['about nobody', { sub: '' }],
    ['about whom a query would find', { sub: { $ne: null } }],
    ['about a list', { sub: ['248289761001'] }],
  ])('N43 proves nothing when it is %s', async (_, claims) => {
    expect(await bench({ token: await withIdToken(claims) }).exchange()).toMatchObject({ state: 'rejected' });
  });

  it('may be made for others too, when it was made for us', async () => {
    const token = await withIdToken({ aud: ['cid-1', 'cid-2'], azp: 'cid-1' });
    expect(await bench({ token }).exchange()).toMatchObject({ state: 'identified' });
  });

  it.each<[unknown, Date | null]>([
    [NOW / 1_000 - 5, new Date(NOW - 5_000)],
    [0, new Date(0)],
    ...[undefined, null, '1', -1, Infinity, 8.65e12].map((time): [unknown, null] => [time, null]),
  ])('with auth_time %p says that the sign-in was at %p', async (auth_time, authenticatedAt) => {
    const decision = await bench({ token: await withIdToken({ auth_time }) }).exchange();
    expect(identityOf(decision)).toMatchObject({ authenticatedAt });
  });

  it('may be signed with another algorithm of public keys', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const keys = { json: { keys: [{ ...(await exportJWK(publicKey)), kid: 'e1', alg: 'ES256', use: 'sig' }] } };
    const token = await withIdToken({}, { key: privateKey, kid: 'e1', alg: 'ES256' });
    expect(await bench({ token, keys }).exchange()).toMatchObject({ state: 'identified' });
  });

  it('is verified with new keys, which its provider may keep at a new place', async () => {
    const { exchange, egress, clock } = bench({ token: await withIdToken({}, { kid: 'k2' }) });
    egress.on(DISCOVERY, { json: METADATA }, { json: { ...METADATA, jwks_uri: 'https://id.example/new-keys' } });
    egress.on('GET /new-keys', { json: { keys: [publishedKey('k2')] } });
    expect(await exchange()).toMatchObject({ state: 'rejected' });
    clock.monotonicMs += 1;
    expect(await exchange()).toMatchObject({ state: 'identified' });
  });

  it.each(uselessKeySets())('is undecided with a key that cannot be used, for a minute: %j', async (keys) => {
    const { exchange, egress, clock } = bench({ token: await withIdToken(), keys });
    await expect(exchange()).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    egress.on(KEYS, keySet());
    clock.monotonicMs = 59_999;
    await expect(exchange()).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    clock.monotonicMs = 60_000;
    expect(await exchange()).toMatchObject({ state: 'identified' });
  });

  it.each<[string, object]>([
    ['is not verified', { email_verified: false }],
    ['may be verified or not', { email_verified: undefined }],
    ['is none', { email: 'mara' }],
    ['is missing', { email: undefined }],
  ])('vouches for no address when it %s', async (_, claims) => {
    const { exchange } = bench({ token: await withIdToken(claims) });
    expect(identityOf(await exchange())).toMatchObject({ subject: '248289761001', verifiedEmail: null });
  });

  it.each<[unknown, string | null]>([
    ['Mara\u202e\r\nField', 'MaraField'],
    [' ', null],
    [undefined, null],
    [7, null],
    ['x'.repeat(101), null],
  ])('names %j as %j', async (name, shown) => {
    expect(identityOf(await bench({ token: await withIdToken({ name }) }).exchange())).toMatchObject({ name: shown });
  });
});
