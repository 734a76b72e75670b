// 30 s: Chromium signs operators in through a page of the sandbox, each in a browser of their own.
import type { Page } from 'playwright-core';
import { Dashboard, FIRST_OPERATOR } from '../support/dashboard.js';
import { asAdmin } from '../support/postgres.js';
import { startSandbox, type Sandbox } from '../support/sandbox.js';
import { startService, type Service } from '../support/service.js';

const CLIENT = { clientId: 'dashboard.sandbox', clientSecret: 'dashboard-secret' };
const LABEL = 'Sign in with the house';
const GRACE = 'grace@example.com';
const MARA = 'mara@example.com';

let sandbox: Sandbox;
let service: Service;
let dashboard: Dashboard;
/** Another site than the service, as in life: what comes back from there brings no cookie that is SameSite=Strict. */
let providerOrigin: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  providerOrigin = sandbox.googleUrl.replace('127.0.0.1', 'localhost');
  service = await startService({
    ...sandbox.env,
    OIDC_ISSUER: `${providerOrigin}/oidc`,
    OIDC_CLIENT_ID: CLIENT.clientId,
    OIDC_CLIENT_SECRET: CLIENT.clientSecret,
    OIDC_LABEL: LABEL,
  });
  await control('/oidc/clients', { ...CLIENT, redirectUris: [callbackUrl()] });
  for (const email of [FIRST_OPERATOR.email, GRACE, MARA]) await sandbox.addUser({ email });
  dashboard = await Dashboard.open(service);
});

afterAll(async () => {
  await dashboard?.close();
  await service?.stop();
  await sandbox?.stop();
});

afterEach(async () => {
  await sandbox.clearFaults();
  await sandbox.expectNoViolations();
});

const callbackUrl = () => `${service.baseUrl}/api/operator/v1/sign-on/callback`;

async function control(path: string, body: object): Promise<void> {
  const { status, body: response } = await sandbox.control('POST', path, body);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(response)}`);
}

/** A browser of its own at the sign-in page. */
async function stranger(path = '/sign-in'): Promise<Page> {
  return (await dashboard.newStranger(path)).page;
}

/** Goes to the identity provider, and stands before the question whether it may tell who one is. */
async function choose(page: Page, email: string, button = LABEL): Promise<void> {
  await page
    .getByRole('link', { name: button })
    .or(page.getByRole('button', { name: button }))
    .click();
  await page.getByTestId(`account-${email}`).click();
  await page.getByTestId('signed-in-as').filter({ hasText: email }).waitFor();
}

const allow = (page: Page): Promise<void> => page.getByTestId('allow').click();

async function signOn(page: Page, email: string): Promise<void> {
  await choose(page, email);
  await allow(page);
}

/** Where the identity provider sends the browser, which does not go there yet. */
async function callbackOf(page: Page, email: string): Promise<string> {
  await choose(page, email);
  const callback = Promise.withResolvers<string>();
  await page.route(`${providerOrigin}/oidc/consent`, async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    callback.resolve(response.headers()['location'] ?? '');
    await route.fulfill({ status: 204 });
  });
  await allow(page);
  return callback.promise;
}

/** What the page is told at this path of the operators' API. */
function ask(page: Page, path: string): Promise<{ status: number; body: any }> {
  return page.evaluate(
    `fetch('/api/operator/v1${path}').then(async (answer) => ({ status: answer.status, body: await answer.json() }))`,
  );
}

async function expectInside(page: Page, email: string): Promise<any> {
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const { body } = await ask(page, '/session');
  expect(body.operator).toMatchObject({ email });
  return body.operator;
}

async function expectOutside(page: Page, error: string, words: string): Promise<void> {
  await page.getByText(words).waitFor();
  expect(page.url()).toBe(`${service.baseUrl}/dashboard/sign-in?error=${error}`);
  expect((await ask(page, '/session')).status).toBe(401);
}

/** As the first operator. */
async function invite(email: string): Promise<void> {
  const { page } = await dashboard.newPage('/profile');
  const { csrfToken } = (await ask(page, '/session')).body;
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrfToken },
    body: JSON.stringify({ email, role: 'viewer' }),
  };
  const path = '/api/operator/v1/invitations';
  expect(await page.evaluate(`fetch('${path}', ${JSON.stringify(init)}).then(({ status }) => status)`)).toBe(200);
  await page.close();
}

it('makes an operator of who was invited, and knows them from then on', async () => {
  await invite(GRACE);
  const page = await stranger('/audit');
  await signOn(page, GRACE);
  expect(await expectInside(page, GRACE)).toMatchObject({ role: 'viewer', hasPassword: false });
  expect(page.url()).toBe(`${service.baseUrl}/dashboard/audit`);
  const sessions = (await ask(page, '/sessions')).body.data;
  expect(sessions).toMatchObject([{ device: 'Chrome on Linux', network: '127.0.0.1', isCurrent: true }]);
  const { body } = await ask(page, '/audit');
  const entry = { actor: `operator:${GRACE}`, subject: `operator:${GRACE}`, requestId: expect.any(String) };
  expect(body.data.slice(0, 2)).toMatchObject([
    { ...entry, action: 'operator.login' },
    { ...entry, action: 'operator.created' },
  ]);
  const cookies = await page.context().cookies();
  expect(cookies.filter(({ name }) => name.includes('uc_')).map(({ value: _, expires: __, ...rest }) => rest)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: '__Secure-uc_operator', sameSite: 'Strict', httpOnly: true, secure: true }),
      expect.objectContaining({ name: 'uc_sso', sameSite: 'Lax', httpOnly: true }),
    ]),
  );
});

it('lets nobody else in, however often they try', async () => {
  const page = await stranger();
  await choose(page, MARA);
  await page.getByTestId('cancel').click();
  await expectOutside(page, 'denied', 'You were not signed in');

  // The identity provider remembers whom the browser has chosen.
  const again = () => page.getByRole('link', { name: LABEL }).click();
  await again();
  await allow(page);
  await expectOutside(page, 'not-invited', 'You are not an operator here');

  await control('/oidc/emails', { email: MARA, isVerified: false });
  await invite(MARA);
  await again();
  await allow(page);
  await expectOutside(page, 'email-unverified', 'Your address is not verified');

  await again();
  await sandbox.fault({ kind: 'token' }, { type: 'status', status: 503 });
  await allow(page);
  await expectOutside(page, 'unavailable', 'The identity provider does not answer');
});

it('opens the account of an operator with the same address only after it was linked from inside', async () => {
  const { email } = FIRST_OPERATOR;
  const outside = await stranger();
  await signOn(outside, email);
  await expectOutside(outside, 'not-invited', 'You are not an operator here');

  const { page } = await dashboard.newPage('/profile');
  // The identity of another operator stays theirs.
  await choose(page, GRACE, `Link: ${LABEL}`);
  await allow(page);
  await page.getByText('This identity is linked already').waitFor();
  expect(page.url()).toBe(`${service.baseUrl}/dashboard/profile?error=taken`);
  await page.context().clearCookies({ domain: 'localhost' });
  await dashboard.goto(page, '/profile');
  await choose(page, email, `Link: ${LABEL}`);
  await allow(page);
  await page.getByText('Your identity is linked').waitFor();
  expect(page.url()).toBe(`${service.baseUrl}/dashboard/profile?linked=true`);
  await expectInside(page, email);

  const linked = await stranger();
  await signOn(linked, email);
  expect(await expectInside(linked, email)).toMatchObject({ hasPassword: true });
});

it('proves once more who an operator is, in a tab of its own, and the action goes on', async () => {
  const page = await stranger('/profile');
  await signOn(page, GRACE);
  await expectInside(page, GRACE);
  const link = page.getByRole('button', { name: `Link: ${LABEL}` });
  // The identity provider has not said when it asked: a sign-in there is no proof of now.
  await link.click();
  const dialog = page.getByRole('dialog', { name: 'Prove that it is you' });
  const again = async (email: string) => {
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      dialog.getByRole('link', { name: LABEL }).click(),
    ]);
    // Although it knows this browser, it asks.
    await tab.getByTestId(`account-${email}`).click();
    await allow(tab);
    return tab;
  };
  const other = await again(MARA);
  await other.getByText('That was somebody else').waitFor();
  await other.close();
  expect(await dialog.count()).toBe(1);
  await again(GRACE);
  // The link was waiting: the browser is on its way to the identity provider.
  await page.getByTestId(`account-${GRACE}`).or(page.getByTestId('signed-in-as')).first().waitFor();
  expect(new URL(page.url()).origin).toBe(providerOrigin);
});

it('N33 N34 takes an answer once, in time, and in the browser that began', async () => {
  const failed = 'The single sign-on could not be finished';
  const page = await stranger();
  const callback = await callbackOf(page, GRACE);

  const foreign = await stranger();
  await foreign.goto(callback);
  await expectOutside(foreign, 'failed', failed);
  // With a sign-on of its own under way, too.
  await choose(foreign, MARA);
  await foreign.goto(callback);
  await expectOutside(foreign, 'failed', failed);

  const forged = new URL(callback);
  forged.searchParams.set('state', [...(forged.searchParams.get('state') ?? '')].reverse().join(''));
  await page.goto(forged.href);
  await expectOutside(page, 'failed', failed);

  // By issuer and subject: what is said of the address counts no more.
  await control('/oidc/emails', { email: GRACE, isVerified: false });
  await page.goto(callback);
  await expectInside(page, GRACE);
  const again = await page.context().newPage();
  await again.goto(callback);
  await again.getByText(failed).waitFor();

  const late = await stranger();
  await choose(late, GRACE);
  await asAdmin(service.adminDatabaseUrl, (admin) =>
    admin.query(`update operator_sso_request set expires_at = expires_at - interval '10 minutes'`),
  );
  await allow(late);
  await expectOutside(late, 'failed', failed);

  const { state, code } = Object.fromEntries(new URL(callback).searchParams) as { state: string; code: string };
  for (const secret of [state, code, CLIENT.clientSecret]) expect(service.program.stdout()).not.toContain(secret);
});

it('is begun and finished by people alone, and linked by who is signed in', async () => {
  const visit = async (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${service.baseUrl}/api/operator/v1/sign-on${path}`, { redirect: 'manual', ...init });
  expect((await visit('/start', { method: 'HEAD' })).status).toBe(405);
  expect((await visit('/callback', { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(400);
  const headers = { origin: service.baseUrl };
  expect((await visit('/link', { method: 'POST', headers })).status).toBe(401);
  const begun = await visit('/start?returnTo=https://evil.example/');
  expect([begun.status, new URL(begun.headers.get('location') ?? '').origin]).toEqual([302, providerOrigin]);
  expect((await visit('/callback?state=a&state=b')).status).toBe(400);
});
