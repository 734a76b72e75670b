import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { Visitor } from '../sandbox/visitor.js';
import { Browser, type Visit } from '../support/browser.js';
import { startGoogleService, TEST_CLIENT, type GoogleService } from '../support/google-service.js';
import { FULL_SCOPES, GRANULAR_SCOPES } from '../support/sandbox.js';

/** Other suites may have the machine at the same time. */
jest.setTimeout(60_000);

const ADA = 'ada@example.com';
const GRACE = 'grace@example.com';
const HOME = 'https://app.example.test/connected';
const HOME_WITH_QUERY = 'https://app.example.test/other?tenant=a%20b';

let google: GoogleService;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  google = await startGoogleService();
  const { service, sandbox } = google;
  for (const url of [HOME, HOME_WITH_QUERY]) {
    await service.ops('redirect-url', 'add', '--application', service.applicationId, '--url', url);
  }
  for (const email of [ADA, GRACE]) await sandbox.addUser({ email });
}, 120_000);

afterAll(() => google?.stop());

beforeEach(async () => {
  browser = new Browser();
  visitor = new Visitor(google.sandbox.googleUrl);
  await google.sandbox.clearRequests();
});

afterEach(async () => {
  await google.sandbox.expectNoViolations();
  for (const { id } of await accounts()) await google.service.call('DELETE', `/v1/endUserAccounts/${id}`);
  for (const email of [ADA, GRACE]) await google.sandbox.revoke(email);
});

async function accounts(): Promise<{ id: string; email: string; status: string }[]> {
  return (await google.service.call('GET', '/v1/endUserAccounts')).body.data;
}

async function tokenCalls(): Promise<number> {
  return (await google.sandbox.requests({ kind: 'token' })).length;
}

function authorize(query: Record<string, string> = {}, from = browser): Promise<Visit> {
  const { baseUrl, applicationId } = google.service;
  const search = new URLSearchParams(query).toString();
  return from.visit(`${baseUrl}/api/v1/oauth/authorize/${applicationId}/google?${search}`);
}

/** Through the pages of the provider; the address at which the browser would come back. */
async function consent({ location }: Visit, email = ADA, unticked: string[] = []): Promise<URL> {
  let page = await visitor.open(location ?? '');
  if (page.body.includes('/signin/account')) page = await visitor.chooseAccount(page, email);
  if (page.body.includes('/signin/consent')) page = await visitor.allow(page, unticked);
  expect(page.url.pathname).toBe('/api/v1/oauth/callback/google');
  return page.url;
}

/** From the application to the provider and home again. */
async function signIn(query: Record<string, string> = {}, email = ADA, unticked: string[] = []): Promise<URL> {
  return homeOf(await browser.visit(await consent(await authorize(query), email, unticked)));
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
    expect(account).toMatchObject({ email: ADA, externalId: 'user-42', providerType: 'GOOGLE', status: 'ACTIVE' });
    const calendars = await google.service.call('GET', `/v1/calendars/${account?.id}`);
    expect(calendars.body.data).toContainEqual(expect.objectContaining({ id: ADA, isPrimary: true }));
    const credentials = await google.service.call('GET', `/v1/endUserAccounts/${account?.id}/credentials`);
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
    await google.sandbox.revoke(ADA, TEST_CLIENT.clientId);
    const second = await signIn({ loginHint: ADA });
    expect(parameters(second)).toEqual(parameters(first));
    expect(await accounts()).toEqual([expect.objectContaining({ status: 'ACTIVE' })]);
  });

  it('asks for consent once more when who has consented comes without a refresh token', async () => {
    await google.sandbox.grant(ADA, TEST_CLIENT.clientId);
    const again = await browser.visit(await consent(await authorize({ prompt: 'select_account', state: 's' })));
    expect(await accounts()).toEqual([]);
    expect(new URL(again.location ?? '').searchParams.get('prompt')).toContain('consent');
    const home = homeOf(await browser.visit(await consent(again)));
    expect(parameters(home)).toEqual({ endUserAccountId: (await accounts())[0]?.id, state: 's' });
  });

  it('does not ask with prompt=none: it connects who has consented, and says so when nobody has', async () => {
    const page = await visitor.open((await authorize({ prompt: 'none', state: 's' })).location ?? '');
    const refused = homeOf(await browser.visit(page.url));
    expect(parameters(refused)).toMatchObject({ error: 'interaction_required', provider: 'GOOGLE', state: 's' });
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
    ['N36 a foreign issuer', ({ searchParams }) => searchParams.set('iss', 'https://login.microsoftonline.com')],
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
    await google.service.call('DELETE', `/v1/endUserAccounts/${account?.id}`);
  });

  it('N36 is refused at the callback of another provider', async () => {
    const back = await consent(await authorize());
    back.pathname = back.pathname.replace('google', 'microsoft');
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
  const refused = await signIn({ loginHint: ADA, state: 's' }, GRACE);
  expect(parameters(refused)).toMatchObject({ error: 'login_hint_mismatch', provider: 'GOOGLE', state: 's' });
  expect(await accounts()).toEqual([expect.objectContaining({ email: GRACE, status: 'ACTIVE' })]);
  const calendars = await google.service.call('GET', `/v1/calendars/${kept.searchParams.get('endUserAccountId')}`);
  expect(calendars.status).toBe(200);
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
    provider: 'GOOGLE',
    state: 's',
  });
  expect([await tokenCalls(), await accounts()]).toEqual([0, []]);
});

describe('T13 permissions', () => {
  it('that are missing connect nobody', async () => {
    const { applicationId } = google.service;
    const set = (...more: string[]) =>
      google.service.ops(
        ...['oauth-client', 'set', '--application', applicationId, '--provider', 'google'],
        ...['--client-id', TEST_CLIENT.clientId, '--client-secret', TEST_CLIENT.clientSecret],
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
});

it('connects nobody while the provider fails, and sends the user home', async () => {
  const back = await consent(await authorize({ state: 's' }));
  await google.sandbox.fault({ kind: 'token' }, { type: 'status', status: 503 });
  try {
    expect(parameters(homeOf(await browser.visit(back)))).toMatchObject({ error: 'provider_error', state: 's' });
    expect(await accounts()).toEqual([]);
  } finally {
    await google.sandbox.clearFaults();
  }
});

it.each(['none', 'HS256'])('N43 connects nobody by an id_token that Google did not sign: alg %s', async (alg) => {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  const away = await authorize();
  const claims = {
    ...{ iss: 'https://accounts.google.com', aud: TEST_CLIENT.clientId, sub: '1', email: ADA, email_verified: true },
    nonce: new URL(away.location ?? '').searchParams.get('nonce'),
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 3600,
  };
  const back = await consent(away);
  const tokens = { access_token: 'a', refresh_token: 'r', expires_in: 3600, token_type: 'Bearer' };
  const idToken = `${part({ alg, typ: 'JWT' })}.${part(claims)}.${alg === 'none' ? '' : 'c2lnbmF0dXJl'}`;
  await google.sandbox.fault(
    { kind: 'token' },
    { type: 'replace', body: { ...tokens, scope: FULL_SCOPES.join(' '), id_token: idToken } },
  );
  try {
    expect(parameters(homeOf(await browser.visit(back)))).toMatchObject({ error: 'provider_error' });
    expect(await accounts()).toEqual([]);
  } finally {
    await google.sandbox.clearFaults();
  }
});

it('N55 leaves nothing of a sign-in in the log', async () => {
  const back = await consent(await authorize({ state: 'planted-state', loginHint: ADA }));
  await browser.visit(back);
  const [account] = await accounts();
  const credentials = await google.service.call('GET', `/v1/endUserAccounts/${account?.id}/credentials`);
  const secrets = [
    ...[...browser.cookies.values(), 'planted-state', TEST_CLIENT.clientSecret],
    ...['code', 'state'].map((name) => back.searchParams.get(name) ?? ''),
    ...[credentials.body.accessToken, credentials.body.refreshToken],
  ];
  const log = google.service.program.stdout() + google.service.program.stderr();
  expect(log).toContain('/api/v1/oauth/callback/google');
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(8);
    expect(log).not.toContain(secret);
  }
});
