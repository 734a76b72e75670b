import { createHash, randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { jest } from '@jest/globals';
import { getOAuthUrl, ProviderType } from '@apiroc/unified-calendar-api-node-sdk';
import { Browser, type Visit } from '../../support/browser.js';
import { APPLICATION_ID, REDIRECT_URL, SignInFixture } from '#application/testing/sign-in-fixture';
import { KEY, startHttpApp, type HttpApp } from '../../support/http-app.js';

const ADA = { subject: '1001', email: 'ada@example.test' };
const PUBLIC_URL = 'http://calendar.example.test';
const AUTHORIZE = `/api/v1/oauth/authorize/${APPLICATION_ID}/google`;
const CALLBACK = '/api/v1/oauth/callback/google';

let app: HttpApp;
let fixture: SignInFixture;
let browser: Browser;

beforeAll(async () => {
  app = await startHttpApp({ publicUrl: PUBLIC_URL });
});
afterAll(() => app.close());
beforeEach(() => {
  useNewFixture(app);
  browser = new Browser();
});

function useNewFixture({ fakes }: HttpApp): void {
  fixture = new SignInFixture(PUBLIC_URL);
  fakes.signIns.begin = fixture.service.begin.bind(fixture.service);
  fakes.signIns.finish = fixture.service.finish.bind(fixture.service);
  fakes.signIns.prepare = fixture.service.prepare.bind(fixture.service);
}

function authorize(query: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Visit> {
  return browser.visit(`${app.base}${AUTHORIZE}?${new URLSearchParams(query).toString()}`, headers);
}

/** Comes back from the provider: its redirect names the public address of the service. */
function comeBack(back: URL, headers: Record<string, string> = {}): Promise<Visit> {
  expect(back.origin).toBe(PUBLIC_URL);
  return browser.visit(app.base + back.pathname + back.search, headers);
}

describe('the redirect flow', () => {
  it('connects an account', async () => {
    const away = await authorize({ state: 'c3RhdGU=', externalId: 'user-42', loginHint: ADA.email, prompt: 'consent' });
    expect([away.status, away.text]).toEqual([302, '']);
    expect(away.location).toMatch(/^https:\/\/accounts\.google\.test\/authorize\?/);
    const home = await comeBack(fixture.google.consent(away.location!, { identity: ADA }));
    expect([home.status, home.text]).toEqual([302, '']);
    const [account] = fixture.accounts;
    expect(home.location).toBe(`${REDIRECT_URL}?endUserAccountId=${account?.id}&state=c3RhdGU%3D`);
    expect(account).toMatchObject({ email: ADA.email, externalId: 'user-42', applicationId: APPLICATION_ID });
  });

  it('begins where the public Node client sends users', async () => {
    const url = getOAuthUrl(APPLICATION_ID, ProviderType.GOOGLE, {
      unifiedApiBaseUrl: app.base,
      redirectUrl: REDIRECT_URL,
      externalId: 'user 42',
      loginHint: ADA.email,
      prompt: 'select_account',
      state: 'a/b+c=',
    });
    const away = await browser.visit(url);
    expect(new URL(away.location!).searchParams.get('login_hint')).toBe(ADA.email);
    const home = new URL((await comeBack(fixture.google.consent(away.location!, { identity: ADA }))).location!);
    expect(home.searchParams.get('state')).toBe('a/b+c=');
    expect(fixture.accounts[0]?.externalId).toBe('user 42');
  });

  it('reaches every provider that signs in like this, by its name', async () => {
    const away = await browser.visit(`${app.base}${AUTHORIZE.replace('google', 'microsoft')}`);
    const back = fixture.microsoft.consent(away.location!, { identity: ADA });
    expect(back.pathname).toBe('/api/v1/oauth/callback/microsoft');
    await comeBack(back);
    expect(fixture.accounts[0]?.providerType).toBe('MICROSOFT');
  });

  it('N41 tells the application that an administrator has to consent, and repeats no word of the provider', async () => {
    fixture.microsoft.needsAdministrator = ({ errorDescription }) => errorDescription === 'AADSTS90094: planted';
    const away = await browser.visit(`${app.base}${AUTHORIZE.replace('google', 'microsoft')}`);
    const rejection = { error: 'access_denied', error_description: 'AADSTS90094: planted' };
    const home = await comeBack(fixture.microsoft.deny(away.location!, rejection));
    expect(new URL(home.location!).searchParams.get('error')).toBe('admin_consent_required');
    expect(home.location).not.toContain('planted');
  });

  it('speaks HTTP to nobody itself: tokens come through the authorization server', async () => {
    const requests = [http, https].flatMap((client) => [jest.spyOn(client, 'request'), jest.spyOn(client, 'get')]);
    await comeBack(fixture.google.consent((await authorize()).location!, { identity: ADA }));
    expect([fixture.google.exchanged.length, fixture.accounts.length]).toEqual([1, 1]);
    for (const request of requests) expect(request).not.toHaveBeenCalled();
    jest.restoreAllMocks();
  });

  it('goes to the provider once more when that gave nothing that lasts', async () => {
    const away = await authorize();
    const again = await comeBack(fixture.google.consent(away.location!, { identity: ADA, lasting: false }));
    expect(again.headers.getSetCookie()).toHaveLength(1);
    await comeBack(fixture.google.consent(again.location!, { identity: ADA }));
    expect(fixture.accounts).toHaveLength(1);
  });
});

describe('an address that the application makes with its key', () => {
  const make = (body: Record<string, unknown>, key = KEY) =>
    app.call('POST', '/api/v1/oauth/authorizationUrls', { body, headers: { 'x-api-key': key } });

  it('connects an account with what is fixed in it, once', async () => {
    const given = { state: 'c3RhdGU=', externalId: 'user-42', loginHint: ADA.email, prompt: 'consent' };
    const { status, body } = await make({ provider: 'google', redirectUrl: REDIRECT_URL, ...given });
    expect([status, body]).toEqual([200, { url: expect.any(String), expiresAt: expect.stringMatching(/Z$/) }]);
    const url = new URL(body.url);
    expect([url.origin, url.pathname]).toEqual([PUBLIC_URL, AUTHORIZE]);
    const away = await browser.visit(app.base + url.pathname + url.search);
    await comeBack(fixture.google.consent(away.location!, { identity: ADA }));
    expect(fixture.accounts).toEqual([
      expect.objectContaining({ externalId: 'user-42', applicationId: APPLICATION_ID }),
    ]);
    const again = await new Browser().visit(app.base + url.pathname + url.search);
    expect([again.status, again.location, again.headers.getSetCookie()]).toEqual([400, null, []]);
    expect(again.text).toContain('used already, or is over');
  });

  it.each(['google', 'microsoft', 'GOOGLE', 'MICROSOFT'])('is for %s', async (provider) => {
    expect((await make({ provider })).body.url).toContain(`/${provider.toLowerCase()}?request=`);
  });

  it('takes null for what is not said', async () => {
    const nothing = { redirectUrl: null, loginHint: null, externalId: null, prompt: null, state: null };
    expect((await make({ provider: 'google', ...nothing })).status).toBe(200);
  });

  it.each<[string, Record<string, unknown>]>([
    ['provider', {}],
    ['provider', { provider: 'apple' }],
    ['provider', { provider: 7 }],
    ['redirectUrl', { provider: 'google', redirectUrl: 'https://evil.test/' }],
    ['loginHint', { provider: 'google', loginHint: ' ' }],
    ['prompt', { provider: 'google', prompt: 'login' }],
    ['externalId', { provider: 'google', externalId: 'a'.repeat(256) }],
    ['state', { provider: 'google', state: 7 }],
    ['scope', { provider: 'google', scope: 'everything' }],
  ])('is not made with a bad %s: %j', async (path, given) => {
    expect(await make(given)).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', details: [expect.objectContaining({ path })] },
    });
    expect(fixture.attempts.prepared.size).toBe(0);
  });

  it.each([
    ['', 401],
    ['uck_expired', 401],
    ['uck_reader', 403],
    ['uck_writer', 200],
  ])('is made with a key that may write: %j is %i', async (key, status) => {
    expect((await make({ provider: 'google' }, key)).status).toBe(status);
  });

  it('is not used up by what looks at it ahead', async () => {
    const url = new URL((await make({ provider: 'google' })).body.url);
    const path = app.base + url.pathname + url.search;
    await browser.visit(path, {}, 'HEAD');
    await browser.visit(path, { 'sec-purpose': 'prefetch' });
    expect((await browser.visit(path)).status).toBe(302);
  });
});

describe('the cookie of the browser', () => {
  it('is for this host, for ten minutes, out of reach of scripts', async () => {
    const [line] = (await authorize()).headers.getSetCookie();
    expect(line).toMatch(/^uc_oauth=[\w-]{43}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
  });

  it('is bound to host and https where the service is reached with https', async () => {
    const secure = await startHttpApp({ publicUrl: 'https://calendar.example.test' });
    try {
      useNewFixture(secure);
      const { headers } = await browser.visit(secure.base + AUTHORIZE);
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^__Host-uc_oauth=[\w-]{43}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
        ),
      ]);
    } finally {
      await secure.close();
    }
  });

  it('is the same for all tabs', async () => {
    const first = await authorize();
    const [before] = browser.cookies.values();
    const second = await authorize();
    expect([...browser.cookies.values()]).toEqual([before]);
    for (const { location } of [first, second]) {
      const home = await comeBack(fixture.google.consent(location!, { identity: ADA }));
      expect(home.location).toContain('endUserAccountId=');
    }
  });

  it.each(['nonsense', '', 'x'.repeat(44), '../../..'])('is replaced when it is none of ours: %j', async (value) => {
    browser.cookies.set('uc_oauth', value);
    await authorize();
    expect(browser.cookies.get('uc_oauth')).toMatch(/^[\w-]{43}$/);
  });

  it('does not come with a refusal', async () => {
    expect((await authorize({ redirectUrl: 'https://evil.test/' })).headers.getSetCookie()).toEqual([]);
    expect((await browser.visit(app.base + CALLBACK)).headers.getSetCookie()).toEqual([]);
  });
});

describe('what was not visited by a user', () => {
  const AHEAD: [string, Record<string, string>, string][] = [
    ['a HEAD request', {}, 'HEAD'],
    ['a prefetch', { 'sec-purpose': 'prefetch' }, 'GET'],
    ['a prerender', { 'sec-purpose': 'prefetch;prerender' }, 'GET'],
    ['an older prefetch', { purpose: 'prefetch' }, 'GET'],
  ];

  it.each(AHEAD)('begins nothing: %s', async (_, headers, method) => {
    const response = await browser.visit(app.base + AUTHORIZE, headers, method);
    expect(response.status).toBe(method === 'HEAD' ? 405 : 400);
    expect([response.location, fixture.attempts.kept.size, response.headers.getSetCookie()]).toEqual([null, 0, []]);
  });

  it.each(AHEAD)('uses nothing up: %s', async (_, headers, method) => {
    const back = fixture.google.consent((await authorize()).location!, { identity: ADA });
    const ahead = await browser.visit(app.base + back.pathname + back.search, headers, method);
    expect([ahead.location, fixture.google.exchanged]).toEqual([null, []]);
    expect((await comeBack(back)).location).toContain('endUserAccountId=');
  });
});

describe('what is said instead of a redirect', () => {
  const REFUSED = { redirectUrl: 'https://evil.test/<script>' };

  it('is a page for browsers: complete in itself, not framed, not kept', async () => {
    const { status, headers, text } = await authorize(REFUSED, { 'x-request-id': 'a"<b>&c' });
    expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? '';
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('vary')).toBe('accept, accept-language');
    expect(text).toContain('redirectUrl: is not one of the redirect URLs of the application');
    expect(text).toContain('<dd>a&quot;&lt;b&gt;&amp;c</dd>');
    expect(text).not.toMatch(/<script|evil\.test|<[^>]+ on\w+=/);
  });

  it('is in the language of the browser, but for what only a developer can mend', async () => {
    const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };
    const path = `/api/v1/oauth/authorize/${randomUUID()}/google`;
    const gone = await browser.visit(app.base + path, german);
    expect(gone.text).toContain('<html lang="de">');
    expect(gone.text).toContain('<p>Dieser Link gilt nicht oder nicht mehr.');
    const rejected = await authorize(REFUSED, german);
    expect(rejected.text).toContain('<p lang="en">redirectUrl: is not one of the redirect URLs');
  });

  it.each(['*/*', 'application/json', 'application/json, text/html;q=0.5'])(
    'is the envelope for %s',
    async (accept) => {
      const { status, headers, text } = await authorize(REFUSED, { accept });
      expect([status, headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
      expect(JSON.parse(text)).toEqual({
        error: 'ValidationFailed',
        code: 'ValidationFailed',
        message: 'redirectUrl: is not one of the redirect URLs of the application',
        requestId: headers.get('x-request-id'),
        details: [{ path: 'redirectUrl', message: 'is not one of the redirect URLs of the application' }],
      });
    },
  );

  it.each<[string, Record<string, string>]>([
    ['an unknown prompt', { prompt: 'login' }],
    ['an empty prompt', { prompt: '' }],
    ['two prompts', { prompt: 'consent select_account' }],
    ['a prompt in capitals', { prompt: 'NONE' }],
    ['an empty loginHint', { loginHint: ' ' }],
    ['a long loginHint', { loginHint: 'a'.repeat(321) }],
    ['a long redirectUrl', { redirectUrl: `${REDIRECT_URL}?${'a'.repeat(2048)}` }],
    ['a long state', { state: 'a'.repeat(4097) }],
    ['a long externalId', { externalId: 'a'.repeat(256) }],
    ['NUL in the state', { state: 'a\0b' }],
    ['an unknown parameter', { scope: 'everything' }],
    ['a parameter of the callback', { code: 'x' }],
    ['an error, as if it came from the provider', { error: 'access_denied' }],
    ['a parameter in another case', { redirecturl: REDIRECT_URL }],
    ['__proto__', { __proto__x: '1', ['__proto__']: '1' }],
  ])('is a 400 for %s', async (_, query) => {
    const { status, location } = await authorize(query);
    expect([status, location, fixture.attempts.kept.size]).toEqual([400, null, 0]);
  });

  it('is a 400 for a parameter that comes twice', async () => {
    const away = await browser.visit(
      `${app.base}${AUTHORIZE}?redirectUrl=${REDIRECT_URL}&redirectUrl=https://evil.test`,
    );
    expect([away.status, away.location]).toEqual([400, null]);
    const back = fixture.google.consent((await authorize()).location!, { identity: ADA });
    for (const name of ['state', 'code', 'iss']) {
      const twice = new URL(back);
      twice.searchParams.append(name, back.searchParams.get(name)!);
      expect((await comeBack(twice)).status).toBe(400);
    }
    // None of them has ended the sign-in.
    expect((await comeBack(back)).status).toBe(302);
  });

  it.each([
    [`/api/v1/oauth/authorize/${APPLICATION_ID}/yahoo`, 404],
    [`/api/v1/oauth/authorize/${APPLICATION_ID}/GOOGLE`, 404],
    [`/api/v1/oauth/authorize/${APPLICATION_ID}/apple`, 400],
    [`/api/v1/oauth/authorize/${APPLICATION_ID}/caldav`, 400],
    ['/api/v1/oauth/authorize/019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f6/google', 404],
    ['/api/v1/oauth/authorize/%3Cscript%3E/google', 404],
    ['/api/v1/oauth/callback/yahoo', 404],
    ['/api/v1/oauth/callback/caldav', 400],
    [CALLBACK, 400],
  ])('%s is a %i', async (path, status) => {
    const response = await browser.visit(app.base + path);
    expect([response.status, response.location]).toEqual([status, null]);
    expect(response.text).not.toContain('<script');
  });

  it('is a 400 without a client for the provider', async () => {
    fixture.clients.delete('GOOGLE');
    expect((await authorize()).text).toContain('This application has no OAuth client for GOOGLE accounts.');
  });

  it('is a 500 that says nothing when the fault is ours', async () => {
    fixture.connect = () => Promise.reject(new TypeError('secret: /srv/app'));
    const home = await comeBack(fixture.google.consent((await authorize()).location!, { identity: ADA }));
    expect([home.status, home.location]).toEqual([500, null]);
    expect(home.text).toContain('Something went wrong on our side.');
    expect(home.text).not.toMatch(/secret|srv|TypeError/);
  });

  it('leaves alone what providers add to a callback', async () => {
    const back = fixture.google.consent((await authorize()).location!, { identity: ADA });
    back.search += '&scope=openid%20email&authuser=0&hd=example.test&prompt=consent&session_state=x&__proto__=1';
    expect((await comeBack(back)).location).toContain('endUserAccountId=');
  });

  it.each([
    [0, 'the proxy'],
    [1, 'the client that it names'],
  ])('counts addresses behind a proxy by what TRUST_PROXY=%i believes: %s', async (trustProxy, counted) => {
    const proxied = await startHttpApp({ trustProxy });
    try {
      proxied.fakes.signIns.begin = async () => 'https://accounts.google.test/authorize';
      const begin = (client: string) =>
        fetch(proxied.base + AUTHORIZE, { redirect: 'manual', headers: { 'x-forwarded-for': `6.6.6.6, ${client}` } });
      const remaining = async (client: string) =>
        /r=(\d+)/.exec((await begin(client)).headers.get('ratelimit') ?? '')?.[1];
      const [first, again, other] = [
        await remaining('1.1.1.1'),
        await remaining('1.1.1.1'),
        await remaining('2.2.2.2'),
      ];
      expect(first).toBe('599');
      expect(again).toBe('598');
      expect(other).toBe(counted === 'the proxy' ? '597' : '599');
    } finally {
      await proxied.close();
    }
  });

  it('is a 429 for an address that begins too many', async () => {
    const busy = await startHttpApp();
    try {
      busy.fakes.signIns.begin = async () => 'https://accounts.google.test/authorize';
      const visits: Visit[] = [];
      for (let batch = 0; batch < 13; batch += 1) {
        visits.push(...(await Promise.all(Array.from({ length: 50 }, () => browser.visit(busy.base + AUTHORIZE)))));
      }
      const rejected = visits.filter(({ status }) => status === 429);
      expect(rejected.length).toBeGreaterThanOrEqual(50);
      expect(Number(rejected[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(rejected[0]?.headers.get('ratelimit-policy')).toBe('"default";q=600;w=60');
      expect(rejected[0]?.text).toContain('More than 600 requests in 60 seconds.');
      // Nobody who is on the way back is held up by it.
      expect((await browser.visit(busy.base + CALLBACK)).status).not.toBe(429);
    } finally {
      await busy.close();
    }
  });
});

it('needs no application key, and is not helped by one', async () => {
  for (const key of ['uck_live', 'uck_unknown', '']) {
    expect((await authorize({}, { 'x-api-key': key })).status).toBe(302);
  }
});

it('N55 writes the route of a visit to the log, and nothing else of its address', async () => {
  const from = app.logLines.length;
  const away = await authorize({ state: 'planted-state', loginHint: 'planted@example.test' });
  const back = fixture.google.consent(away.location!, { identity: ADA });
  await comeBack(back);
  await comeBack(back);
  const lines = app.logLines.slice(from);
  const authorized = '/api/v1/oauth/authorize/:applicationId/:provider';
  const called = '/api/v1/oauth/callback/:provider';
  const routes = lines.map((line) => (JSON.parse(line) as { route?: string }).route);
  expect(routes).toEqual([authorized, called, called]);
  const secrets = [...back.searchParams.values(), ...browser.cookies.values(), 'planted'];
  for (const secret of secrets) expect(lines.join('')).not.toContain(secret);
});
