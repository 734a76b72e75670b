import { jest } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium, watchPage, type WatchedPage } from '../support/chromium.js';
import { startGoogleService, TEST_CLIENT, type GoogleService } from '../support/google-service.js';
import { asAdmin } from '../support/postgres.js';
import { GRANULAR_SCOPES } from '../support/sandbox.js';
import { readingProblems } from './readability.js';
import { startReceivingApplication, type ReceivingApplication } from './receiving-application.js';

/** Other suites may have the machine at the same time. */
jest.setTimeout(120_000);

const ADA = 'ada@example.com';
const GRACE = 'grace@example.com';
/** Chromium tells of every page with such a status. */
const BAD_REQUEST = 'Failed to load resource: the server responded with a status of 400 (Bad Request)';

let google: GoogleService;
let application: ReceivingApplication;
let providerOrigin: string;
let chromium: Browser;
let contexts: BrowserContext[];
let tabs: WatchedPage[];
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  application = await startReceivingApplication();
  // Another site than the service, as in life.
  google = await startGoogleService(({ googleUrl }) => {
    providerOrigin = googleUrl.replace('127.0.0.1', 'localhost');
    return { GOOGLE_OAUTH_URL: providerOrigin };
  });
  const { service, sandbox } = google;
  await service.ops(
    ...['redirect-url', 'add', '--application', service.applicationId, '--url', application.redirectUrl],
  );
  for (const [email, name] of [
    [ADA, 'Ada Byron'],
    [GRACE, 'Grace Murray'],
  ] as const) {
    await sandbox.addUser({ email, name });
  }
  chromium = await startChromium();
});

afterAll(async () => {
  await chromium?.close();
  await google?.stop();
  await application?.close();
});

beforeEach(async () => {
  contexts = [];
  tabs = [];
  context = await newBrowser();
  page = await newTab();
});

afterEach(async () => {
  for (const browser of contexts) await browser.close();
  for (const { id } of await accounts()) await google.service.call('DELETE', `/v1/endUserAccounts/${id}`);
  for (const email of [ADA, GRACE]) await google.sandbox.revoke(email);
  await google.sandbox.expectNoViolations();
});

/** Cookies of its own. */
async function newBrowser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const browser = await chromium.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  contexts.push(browser);
  return browser;
}

async function newTab(browser = context): Promise<Page> {
  const tab = watchPage(await browser.newPage(), [application.origin, google.service.baseUrl, providerOrigin]);
  tabs.push(tab);
  return tab.page;
}

function expectProblems(...expected: string[]): void {
  expect(tabs.flatMap(({ problems }) => problems)).toEqual(expected);
  expect(tabs.flatMap(({ outside }) => outside)).toEqual([]);
}

async function accounts(): Promise<{ id: string; email: string; status: string }[]> {
  return (await google.service.call('GET', '/v1/endUserAccounts')).body.data;
}

/** The user follows the application's link. */
async function begin(query: Record<string, string> = {}, tab = page): Promise<void> {
  const { baseUrl, applicationId } = google.service;
  const authorize = `${baseUrl}/api/v1/oauth/authorize/${applicationId}/google?${new URLSearchParams(query).toString()}`;
  await tab.goto(application.pageWithLinkTo(authorize));
  await tab.getByRole('link', { name: 'Connect' }).click();
}

const choose = (email: string, tab = page): Promise<void> => tab.getByTestId(`account-${email}`).click();
const allow = (tab = page): Promise<void> => tab.getByTestId('allow').click();

async function signIn(): Promise<Record<string, string>> {
  await begin();
  await choose(ADA);
  await allow();
  return home();
}

/** What the application is told. */
async function home(tab = page): Promise<Record<string, string>> {
  await tab.waitForURL(`${application.redirectUrl}?**`);
  await tab.getByRole('heading', { name: 'Back in the application' }).waitFor();
  return Object.fromEntries(new URL(tab.url()).searchParams);
}

/** Signs in, but for the last step: the browser stays with the provider, and this address is not visited yet. */
async function callbackOf(query: Record<string, string> = {}): Promise<string> {
  await begin(query);
  await choose(ADA);
  const callback = Promise.withResolvers<string>();
  await page.route(`${providerOrigin}/signin/consent`, async (route) => {
    const answer = await route.fetch({ maxRedirects: 0 });
    callback.resolve(answer.headers()['location'] ?? '');
    await route.fulfill({ status: 204 });
  });
  await allow();
  return callback.promise;
}

async function expectRefusedPage(tab: Page, sentence: string | RegExp): Promise<void> {
  await tab.getByRole('heading', { name: 'Your calendar was not connected' }).waitFor();
  await tab.getByText(sentence).waitFor();
  expect(new URL(tab.url()).origin).toBe(google.service.baseUrl);
}

const OVER = 'This sign-in is over, or it began in another browser. Go back to the application and start again.';

describe('a user who connects a Google account', () => {
  it('comes from the application through account and consent back to it', async () => {
    await begin({ state: 'c3RhdGU=', externalId: 'user-42' });
    await choose(ADA);
    await page.getByTestId('signed-in-as').filter({ hasText: ADA }).waitFor();
    await allow();
    const told = await home();
    const [account, ...others] = await accounts();
    expect(others).toEqual([]);
    expect(account).toMatchObject({ email: ADA, externalId: 'user-42', status: 'ACTIVE' });
    expect(told).toEqual({ endUserAccountId: account?.id, state: 'c3RhdGU=' });
    expect((await google.service.call('GET', `/v1/calendars/${account?.id}`)).status).toBe(200);
    expectProblems();
  });

  it('may have an account that the provider has not seen yet', async () => {
    await begin();
    await page.getByTestId('another-account').fill('charles@example.com');
    await page.getByTestId('use-another-account').click();
    await allow();
    expect((await home())['endUserAccountId']).toBe((await accounts())[0]?.id);
    expectProblems();
  });

  it('N40 keeps the account by connecting it again, and is asked nothing when nothing may be asked', async () => {
    const first = await signIn();
    await begin();
    await allow();
    expect(await home()).toEqual(first);
    await begin({ prompt: 'none' });
    expect(await home()).toEqual(first);
    expect(await accounts()).toHaveLength(1);
    expectProblems();
  });

  it('makes an EXPIRED account work again', async () => {
    const { endUserAccountId } = await signIn();
    await google.sandbox.revoke(ADA, TEST_CLIENT.clientId);
    expect((await google.service.call('GET', `/v1/calendars/${endUserAccountId}`)).body.code).toBe(
      'EndUserAccountExpired',
    );
    expect(await accounts()).toEqual([expect.objectContaining({ status: 'EXPIRED' })]);

    await begin({ loginHint: ADA });
    await allow();
    expect(await home()).toEqual({ endUserAccountId });
    expect(await accounts()).toEqual([expect.objectContaining({ id: endUserAccountId, status: 'ACTIVE' })]);
    expect((await google.service.call('GET', `/v1/calendars/${endUserAccountId}`)).status).toBe(200);
    expectProblems();
  });

  it('can do so in two tabs at once', async () => {
    const other = await newTab();
    await begin({ state: 'first' });
    await begin({ state: 'second' }, other);
    await choose(GRACE, other);
    await choose(ADA);
    await allow();
    const first = await home();
    await allow(other);
    const second = await home(other);
    const ids = Object.fromEntries((await accounts()).map(({ email, id }) => [email, id]));
    expect(first).toEqual({ endUserAccountId: ids[ADA], state: 'first' });
    expect(second).toEqual({ endUserAccountId: ids[GRACE], state: 'second' });
    expectProblems();
  });
});

describe('a user who does not connect one is taken back to the application', () => {
  const told = (error: string) => ({ error, error_description: expect.any(String), provider: 'GOOGLE', state: 's' });

  afterEach(async () => {
    expect(await accounts()).toEqual([]);
    expectProblems();
  });

  it('N41 after having cancelled', async () => {
    await begin({ state: 's' });
    await choose(ADA);
    await page.getByTestId('cancel').click();
    expect(await home()).toEqual(told('access_denied'));
  });

  it('N39 after having signed in with another account than the one asked for', async () => {
    await begin({ state: 's', loginHint: ADA });
    await choose(GRACE);
    await allow();
    expect(await home()).toEqual(told('login_hint_mismatch'));
  });

  it('without a question when none is allowed', async () => {
    await begin({ state: 's', prompt: 'none' });
    expect(await home()).toEqual(told('interaction_required'));
  });

  it('when the provider fails in the end', async () => {
    await begin({ state: 's' });
    await choose(ADA);
    await google.sandbox.fault({ kind: 'token' }, { type: 'status', status: 503 });
    try {
      await allow();
      expect(await home()).toEqual(told('provider_error'));
    } finally {
      await google.sandbox.clearFaults();
    }
  });
});

it('T13 connects nobody who took a tick away, and does when it is set the next time', async () => {
  const setClient = (...more: string[]) =>
    google.service.ops(
      ...['oauth-client', 'set', '--application', google.service.applicationId, '--provider', 'google'],
      ...['--client-id', TEST_CLIENT.clientId, '--client-secret', TEST_CLIENT.clientSecret],
      ...more,
    );
  await setClient('--scopes', GRANULAR_SCOPES.join(' '));
  try {
    await begin({ state: 's' });
    await choose(ADA);
    await page.getByTestId('scope-calendar.events').uncheck();
    await allow();
    expect(await home()).toMatchObject({ error: 'missing_required_permissions', provider: 'GOOGLE', state: 's' });
    expect(await accounts()).toEqual([]);

    await begin();
    await allow();
    expect(await home()).toEqual({ endUserAccountId: (await accounts())[0]?.id });
    expectProblems();
  } finally {
    await setClient();
  }
});

describe('a page says so, and nobody is sent anywhere', () => {
  it('N37 when the redirect URL is none of the application', async () => {
    await begin({ redirectUrl: `${application.redirectUrl}/elsewhere` });
    await expectRefusedPage(page, /is not one of the redirect URLs of the application/);
    expectProblems(BAD_REQUEST);
  });

  it('N42 when the response was used: opened again, or reached by the back button', async () => {
    const callback = await callbackOf();
    await page.goto(callback);
    const { endUserAccountId } = await home();
    await page.goto(callback);
    await expectRefusedPage(page, OVER);
    await page.goBack();
    await page.getByRole('heading', { name: 'Back in the application' }).waitFor();
    await page.goForward();
    await expectRefusedPage(page, OVER);
    expect(await accounts()).toEqual([expect.objectContaining({ id: endUserAccountId })]);
    expectProblems(BAD_REQUEST, BAD_REQUEST);
  });

  it('N34 when another browser brings the response; the one that began still finishes', async () => {
    const callback = await callbackOf({ state: 's' });
    const stranger = await newTab(await newBrowser());
    await stranger.goto(callback);
    await expectRefusedPage(stranger, OVER);
    // With a sign-in of its own, too.
    await begin({}, stranger);
    await stranger.getByTestId(`account-${GRACE}`).waitFor();
    await stranger.goto(callback);
    await expectRefusedPage(stranger, OVER);
    expect(await accounts()).toEqual([]);

    await page.goto(callback);
    expect(await home()).toEqual({ endUserAccountId: (await accounts())[0]?.id, state: 's' });
    expectProblems(BAD_REQUEST, BAD_REQUEST);
  });

  it('N33 when the state was changed', async () => {
    const callback = new URL(await callbackOf());
    const state = callback.searchParams.get('state') ?? '';
    callback.searchParams.set('state', [...state].reverse().join(''));
    await page.goto(callback.href);
    await expectRefusedPage(page, OVER);
    expect(await accounts()).toEqual([]);
    expectProblems(BAD_REQUEST);
  });

  it('N33 when the user took longer than a sign-in may', async () => {
    await begin();
    await choose(ADA);
    await page.getByTestId('allow').waitFor();
    await asAdmin(google.service.adminDatabaseUrl, (admin) =>
      admin.query(`update oauth_attempt set expires_at = expires_at - interval '10 minutes'`),
    );
    await allow();
    await expectRefusedPage(page, OVER);
    expect(await accounts()).toEqual([]);
    expectProblems(BAD_REQUEST);
  });
});

describe.each<[string, BrowserContextOptions]>([
  ['on a large screen', { colorScheme: 'light' }],
  ['on a phone in the dark', { viewport: { width: 320, height: 640 }, colorScheme: 'dark', isMobile: true }],
])('every page is readable %s', (_, options) => {
  it('from the choice of the account to the page of a failure', async () => {
    const tab = await newTab(await newBrowser(options));
    await begin({}, tab);
    await tab.getByTestId('another-account').waitFor();
    expect(await readingProblems(tab)).toEqual([]);
    await choose(ADA, tab);
    await tab.getByTestId('cancel').waitFor();
    expect(await readingProblems(tab)).toEqual([]);
    await begin({ redirectUrl: 'https://elsewhere.example/' }, tab);
    await expectRefusedPage(tab, /is not one of/);
    expect(await readingProblems(tab)).toEqual([]);
    expectProblems(BAD_REQUEST);
  });
});
