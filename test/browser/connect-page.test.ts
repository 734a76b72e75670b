// 20 to 30 s beside other suites: Chromium opens the page in each of its states, in both themes and in a narrow window.
import type { Locator, Page } from 'playwright-core';
import { accessibilityProblems, tabTo } from '../support/dashboard.js';
import { FakeCalDav } from '../support/fake-caldav.js';
import { startFakeServer } from '../support/connected-account.js';
import { readingProblems } from './readability.js';
import { SignInBrowserFixture } from './sign-in-browser-fixture.js';
import { GOOGLE } from './sign-in-subjects.js';

const ADA = 'ada@example.com';
const SECOND_LANGUAGE = 'de-AT';
const PHONE = { width: 320, height: 640 };

const stage = new SignInBrowserFixture(
  GOOGLE,
  ({ googleUrl }) => ({ GOOGLE_OAUTH_URL: googleUrl.replace('127.0.0.1', 'localhost'), EGRESS_ALLOW: '127.0.0.0/8' }),
  ({ googleUrl }) => googleUrl.replace('127.0.0.1', 'localhost'),
);
let server: FakeCalDav;

beforeAll(async () => {
  server = await startFakeServer('work');
  await stage.start();
  await stage.half.addUser({ email: ADA });
});
afterAll(async () => {
  await stage.stop();
  await server.close();
});
beforeEach(() => stage.open());
afterEach(() => stage.close());

/** Makes a link as the application does. */
async function linkFor(body: object = {}): Promise<string> {
  const { status, body: link } = await stage.provided.service.call('POST', '/v1/connectLinks', { body });
  expect([status, Object.keys(link)]).toEqual([200, ['url', 'expiresAt']]);
  const minutes = (Date.parse(link.expiresAt) - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(29);
  expect(minutes).toBeLessThanOrEqual(30);
  return atService(link.url);
}

/** The service's public address is another one than where the test reaches it. */
function atService(url: string): string {
  const { pathname, search } = new URL(url);
  return stage.provided.service.baseUrl + pathname + search;
}

function field(label: string, page: Page = stage.page): Locator {
  return page.getByLabel(label, { exact: true });
}

async function fillCalDav(password = server.login.password, serverUrl = server.url): Promise<void> {
  await field('Address of the server').fill(serverUrl);
  await field('User name or email').fill(server.login.username);
  await field('Password').fill(password);
}

const connect = (page = stage.page) => page.getByRole('button', { name: 'Connect' });

describe('the connect page', () => {
  it('connects a CalDAV account of the chosen provider, and tells the application which one', async () => {
    await stage.page.goto(await linkFor({ externalId: 'user-42', state: 'c3RhdGU=' }));
    await stage.page.getByRole('link', { name: 'CalDAV' }).click();
    await fillCalDav();
    await connect().click();
    const [account] = await homeAccounts();
    expect(await stage.home()).toEqual({ endUserAccountId: account?.id, state: 'c3RhdGU=' });
    expect(account).toMatchObject({ email: server.login.username, externalId: 'user-42', providerType: 'CALDAV' });
    expect((await stage.calendars(account?.id)).body.data).toHaveLength(1);
    stage.expectProblems();
  });

  it('works by keyboard alone, in a window as narrow as a phone', async () => {
    await stage.page.setViewportSize(PHONE);
    await stage.page.goto(await linkFor());
    expect(await readingProblems(stage.page)).toEqual([]);
    await tabTo(stage.page, stage.page.getByRole('link', { name: 'CalDAV' }));
    await stage.page.keyboard.press('Enter');
    for (const [label, text] of [
      ['Address of the server', server.url],
      ['User name or email', server.login.username],
      ['Password', server.login.password],
    ] as const) {
      await tabTo(stage.page, field(label));
      await stage.page.keyboard.type(text);
    }
    expect(await readingProblems(stage.page)).toEqual([]);
    await stage.page.keyboard.press('Enter');
    expect(await stage.home()).toHaveProperty('endUserAccountId');
  });

  it.each(['light', 'dark'] as const)('can be read by everybody, in the %s theme', async (colorScheme) => {
    await stage.provided.service.ops(
      ...['application', 'set', '--id', stage.provided.service.applicationId, '--accent-color', '#ffd54f'],
    );
    const browser = await stage.newBrowser({ colorScheme });
    const tab = await stage.newTab(browser);
    const link = await linkFor();
    for (const provider of ['', '&provider=apple', '&provider=caldav', '&provider=ics']) {
      await tab.goto(link + provider);
      expect(await accessibilityProblems(tab)).toEqual([]);
      expect(await readingProblems(tab)).toEqual([]);
    }
    // With what went wrong told.
    await tab.goto(`${link}&provider=caldav`);
    await connect(tab).click();
    await tab.getByText('Enter the password.').waitFor();
    expect(await accessibilityProblems(tab)).toEqual([]);
    expect(await readingProblems(tab)).toEqual([]);
    const color = await tab.evaluate<string>(`getComputedStyle(document.querySelector('button')).backgroundColor`);
    expect(color).toBe('rgb(255, 213, 79)');
  });

  it('speaks the language of the browser', async () => {
    const browser = await stage.newBrowser({ locale: SECOND_LANGUAGE });
    const tab = await stage.newTab(browser);
    await tab.goto(await linkFor({ provider: 'apple' }));
    expect(await tab.locator('html').getAttribute('lang')).toBe('de');
    await field('App-spezifisches Passwort', tab).waitFor();
    await tab.getByRole('button', { name: 'Verbinden' }).click();
    await tab.getByText('Geben Sie das Passwort ein.').waitFor();
  });

  it('says how an app-specific password is made, and where', async () => {
    await stage.page.goto(await linkFor({ provider: 'APPLE' }));
    await stage.page.getByText('choose “App-Specific Passwords”').waitFor();
    const help = stage.page.getByRole('link', { name: 'account.apple.com' });
    expect(await help.getAttribute('href')).toBe('https://account.apple.com/account/manage');
    expect(await help.getAttribute('rel')).toBe('noopener noreferrer');
    // The application has fixed the provider.
    expect(await stage.page.getByRole('link', { name: 'Another provider' }).count()).toBe(0);
  });

  it('tells a wrong password from a wrong address, keeps what was entered but the password, and goes on', async () => {
    await stage.page.goto(await linkFor({ provider: 'caldav' }));
    await fillCalDav('wrong');
    await connect().click();
    await stage.page.getByText('The user name or the password is wrong.').waitFor();
    expect(await field('Password').getAttribute('aria-invalid')).toBe('true');
    expect(await stage.page.evaluate<string>('document.activeElement.id')).toBe('password');
    expect(await field('Address of the server').getAttribute('aria-invalid')).toBeNull();
    expect(await field('Address of the server').inputValue()).toBe(server.url);
    expect(await field('Password').inputValue()).toBe('');

    // A web server, but of no calendars.
    await fillCalDav(server.login.password, stage.application.origin.replace('localhost', '127.0.0.1'));
    await connect().click();
    await stage.page.getByText('No calendar server answers at this address.').waitFor();
    expect(await field('Address of the server').getAttribute('aria-invalid')).toBe('true');
    expect(await field('Password').getAttribute('aria-invalid')).toBeNull();

    await fillCalDav(server.login.password, 'https://192.168.7.7/');
    await connect().click();
    await stage.page.getByText('The address is not allowed').waitFor();

    await fillCalDav();
    await connect().click();
    expect(await stage.home()).toHaveProperty('endUserAccountId');
  });

  it('connects one account by a link', async () => {
    const link = await linkFor({ provider: 'caldav' });
    const other = await stage.newTab(await stage.newBrowser());
    await other.goto(link);
    await stage.page.goto(link);
    await fillCalDav();
    await connect().click();
    await stage.home();
    const over = 'This link was used already, or is over. Go back to the application and start again.';
    await stage.page.goto(link);
    await stage.expectRejectedPage(stage.page, over);
    await field('Address of the server', other).fill(server.url);
    await field('User name or email', other).fill(server.login.username);
    await field('Password', other).fill(server.login.password);
    await connect(other).click();
    await stage.expectRejectedPage(other, over);
    expect(await stage.accounts()).toHaveLength(1);
  });

  it('connects one account by a link that is used twice at once', async () => {
    const link = await linkFor({ provider: 'caldav' });
    const { username, password } = server.login;
    const body = new URLSearchParams({ serverUrl: server.url, email: username, password });
    const responses = await Promise.all(
      [1, 2, 3].map(() => fetch(link, { method: 'POST', body, redirect: 'manual', headers: { accept: 'text/html' } })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([303, 404, 404]);
  });

  it('goes on to the sign-in page of Google, and uses the link with the account', async () => {
    const link = await linkFor({ provider: 'google', externalId: 'user-7', state: 's' });
    await stage.page.goto(link);
    await stage.choose(ADA);
    await stage.allow();
    const [account] = await homeAccounts();
    expect(await stage.home()).toEqual({ endUserAccountId: account?.id, state: 's' });
    expect(account).toMatchObject({ email: ADA, externalId: 'user-7', providerType: 'GOOGLE' });
    await stage.page.goto(link);
    await stage.expectRejectedPage(stage.page, /This link was used already/);
  });

  it('leaves an account to the user who has it', async () => {
    await stage.page.goto(await linkFor({ provider: 'caldav', externalId: 'first' }));
    await fillCalDav();
    await connect().click();
    await stage.home();
    await stage.page.goto(await linkFor({ provider: 'caldav', externalId: 'second', state: 's' }));
    await fillCalDav();
    await connect().click();
    expect(await stage.home()).toMatchObject({ error: 'external_id_mismatch', provider: 'CALDAV', state: 's' });
    expect(await stage.accounts()).toMatchObject([{ externalId: 'first' }]);
  });

  it('ends at the application when the user gives up, and the link stays', async () => {
    const link = await linkFor({ provider: 'apple', state: 's' });
    await stage.page.goto(link);
    await stage.page.getByRole('link', { name: 'Cancel' }).click();
    expect(await stage.home()).toMatchObject({ error: 'access_denied', provider: 'APPLE', state: 's' });
    await stage.page.goto(link);
    await field('App-specific password').waitFor();
  });
});

describe('what the page refuses', () => {
  const ask = (url: string, init: RequestInit = {}) =>
    fetch(url, { redirect: 'manual', ...init, headers: { accept: 'text/html', ...init.headers } });

  it.each([
    ['an unknown link', `/api/v1/connect?link=${'A'.repeat(43)}`, 404],
    ['no secret', '/api/v1/connect?link=x', 404],
    ['no link', '/api/v1/connect', 400],
  ])('%s', async (_, path, status) => {
    const response = await ask(stage.provided.service.baseUrl + path);
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  });

  it('a prefetch, a body of another type, one that is too long, and fields of another form', async () => {
    const link = await linkFor({ provider: 'caldav' });
    const status = async (init: RequestInit) => (await ask(link, init)).status;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await status({ headers: { 'sec-purpose': 'prefetch' } })).toBe(400);
    expect(await status({ method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).toBe(415);
    expect(await status({ method: 'POST', body: `email=${'x'.repeat(40_000)}`, headers: form })).toBe(413);
    expect(await status({ method: 'POST', body: 'url=https://a.example', headers: form })).toBe(400);
    expect(await status({ method: 'POST', body: 'email=%00', headers: form })).toBe(400);
    expect(await status({ method: 'POST', body: 'email=a&email=b', headers: form })).toBe(400);
    expect(await status({ method: 'POST', body: 'email=%ff', headers: form })).toBe(400);
    expect(await status({ method: 'DELETE' })).toBe(405);
    // The link is as good as before.
    expect(await status({})).toBe(200);
  });

  it('another provider than the one of the link, and text that would be markup', async () => {
    const link = await linkFor({ provider: 'caldav' });
    expect((await ask(`${link}&provider=apple`)).status).toBe(400);
    const body = new URLSearchParams({ serverUrl: '"><script>alert(1)</script>' });
    const response = await ask(link, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('<script>alert');
  });

  it('more wrong passwords than a caller with a key has', async () => {
    const link = await linkFor({ provider: 'caldav' });
    const body = new URLSearchParams({ serverUrl: server.url, email: 'guessed@example.test', password: 'guess' });
    const statuses: number[] = [];
    for (let tries = 0; tries < 40 && !statuses.includes(429); tries += 1) {
      statuses.push((await ask(link, { method: 'POST', body })).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });
});

async function homeAccounts(): Promise<any[]> {
  await stage.home();
  return stage.accounts();
}
