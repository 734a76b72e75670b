// 45 s: Chromium fills in every form of an application, and users sign in with what was set.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { accessibilityProblems, Dashboard, settled } from '../support/dashboard.js';
import { startGoogleService, TEST_CLIENT, type GoogleService } from '../support/google-service.js';
import { HOSTILE_TEXTS } from '../support/hostile-texts.js';
import { eventually } from '../support/processes.js';
import { asAdmin } from '../support/postgres.js';
import { startReceivingApplication, type ReceivingApplication } from './receiving-application.js';

const run = promisify(execFile);

/** What Chromium says of a request that was refused, as it should be. */
const rejected = (status: string): string => `Failed to load resource: the server responded with a status of ${status}`;
const BAD_REQUEST = rejected('400 (Bad Request)');
const CONFLICT = rejected('409 (Conflict)');

let google: GoogleService;
let application: ReceivingApplication;
let dashboard: Dashboard;

beforeAll(async () => {
  // Another site than the service, as in life.
  google = await startGoogleService(({ googleUrl }) => ({
    GOOGLE_OAUTH_URL: googleUrl.replace('127.0.0.1', 'localhost'),
  }));
  application = await startReceivingApplication();
  dashboard = await Dashboard.open(google.service);
});

afterAll(async () => {
  await dashboard?.close();
  await application?.close();
  await google?.stop();
});

const sql = <T>(text: string, values: unknown[] = []): Promise<T[]> =>
  asAdmin(google.service.adminDatabaseUrl, async (admin) => (await admin.query(text, values)).rows as T[]);

function heading(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('heading', { level: 1, name }).waitFor();
}

function button(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click();
}

function rowOf(page: Page, text: string | RegExp) {
  return page.getByRole('row').filter({ hasText: text });
}

/** A new application of the name, at the page of its keys. */
async function createApplication(page: Page, name: string): Promise<string> {
  await button(page, 'Create an application');
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await button(page, 'Create');
  await heading(page, name);
  return /applications\/([0-9a-f-]{36})\/keys$/.exec(page.url())?.[1] ?? '';
}

describe('an application', () => {
  it('is made, gets a key that works in the command beside it, is shown once, and can be revoked', async () => {
    const { page, problems, outside } = await dashboard.newPage('/applications');
    const applicationId = await createApplication(page, 'Booking');
    await page.getByText(applicationId).waitFor();
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();

    await button(page, 'Create an API key');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('backend');
    await dialog.getByLabel('Expires').selectOption('7');
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Create');
    const apiKey = await page.getByTestId('secret').innerText();
    const command = await page.getByTestId('curl').innerText();
    expect(await accessibilityProblems(page)).toEqual([]);
    // A slip does not close it.
    await page.keyboard.press('Escape');
    expect(await page.getByTestId('secret').innerText()).toBe(apiKey);

    const { stdout } = await run('sh', ['-c', `${command} --silent --show-error`]);
    expect(JSON.parse(stdout)).toMatchObject({ data: [] });

    await button(page, 'I have stored it');
    const row = rowOf(page, 'backend');
    await row.getByText(`${apiKey.slice(0, 16)}…`).waitFor();
    await row.getByText('read, write').waitFor();
    // Seven days are less than the two weeks before which everybody is warned.
    await row.getByText('soon').waitFor();
    await page.getByText('A key expires soon').waitFor();
    expect(await page.content()).not.toContain(apiKey);

    await button(page, 'Revoke backend');
    await button(page, 'Revoke');
    await row.getByText('revoked').waitFor();
    await page.getByText('A key expires soon').waitFor({ state: 'detached' });
    const response = await google.service.call('GET', '/v1/endUserAccounts', { key: apiKey });
    expect(response.body).toMatchObject({ code: 'InvalidApiKey' });
    expect([problems, outside]).toEqual([[], []]);
  });

  it('is listed by a program with a token that an admin creates, sees once, and revokes', async () => {
    const { page, problems, outside } = await dashboard.newPage('/operators');
    await page.getByRole('heading', { name: 'No program has a token' }).waitFor();
    await button(page, 'Create a token');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Terraform');
    expect(await dialog.getByLabel('Expires').getByRole('option').allInnerTexts()).not.toContain('Never');
    await dialog.getByLabel('Expires').selectOption('30');
    expect(await dialog.getByRole('checkbox', { checked: true }).count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Create');
    const token = await page.getByTestId('secret').innerText();
    const command = await page.getByTestId('curl').innerText();
    const list = async () => JSON.parse((await run('sh', ['-c', `${command} --silent --show-error`])).stdout);
    expect((await list()).data.length).toBeGreaterThan(0);
    await button(page, 'I have stored it');
    const row = rowOf(page, 'Terraform');
    await row.getByText('applications:write').waitFor();
    expect(await page.content()).not.toContain(token);
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Revoke Terraform');
    await button(page, 'Revoke');
    await page.getByRole('heading', { name: 'No program has a token' }).waitFor();
    expect(await list()).toMatchObject({ code: 'Forbidden' });
    expect([problems, outside]).toEqual([[], []]);
  });

  it('takes the redirect URLs that its environment allows, and says which are in the way of production', async () => {
    const { page, problems } = await dashboard.newPage('/applications');
    const applicationId = await createApplication(page, 'Rooms');
    await page.getByRole('link', { name: 'Redirect URLs' }).click();
    await page.getByRole('heading', { name: 'No redirect URLs yet' }).waitFor();
    const field = page.getByLabel('New redirect URL');

    await field.fill('http://rooms.example.com/connected');
    await button(page, 'Add');
    await page
      .getByText(/must begin with https:/)
      .first()
      .waitFor();
    await field.fill('https://rooms.example.com/connected');
    await button(page, 'Add');
    await rowOf(page, 'https://rooms.example.com/connected').getByText('Default').waitFor();
    await field.fill('http://localhost:4000/connected');
    await button(page, 'Add');
    await rowOf(page, 'http://localhost:4000/connected').getByText('when it is named').waitFor();

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('radio', { name: 'Production' }).check();
    await button(page, 'Save');
    await page
      .getByRole('alert')
      .getByText(/http:\/\/localhost:4000\/connected/)
      .waitFor();
    expect(await page.getByRole('alert').getByText('Request id').count()).toBe(1);

    await page.getByRole('link', { name: 'Redirect URLs' }).click();
    await button(page, 'Remove http://localhost:4000/connected');
    await button(page, 'Remove');
    await rowOf(page, 'http://localhost:4000/connected').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('radio', { name: 'Production' }).check();
    await page.getByRole('switch', { name: 'Watch calendars that do not push' }).check();
    await page.getByLabel('Requests a second').fill('7');
    await button(page, 'Save');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await sql('select environment, rate_limit_rps from application where id = $1', [applicationId])).toEqual([
      { environment: 'production', rate_limit_rps: 7 },
    ]);
    expect(problems).toEqual([BAD_REQUEST, CONFLICT]);
  });

  it('is deleted when its name was typed', async () => {
    const { page, problems } = await dashboard.newPage('/applications');
    await createApplication(page, 'Short-lived');
    await page.getByRole('link', { name: 'Settings' }).click();
    await button(page, 'Delete application');
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete application' });
    await page.getByLabel(/^Type/).fill('Short');
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel(/^Type/).fill('Short-lived');
    await confirm.click();
    await heading(page, 'Applications');
    await rowOf(page, 'Booking').waitFor();
    await rowOf(page, 'Short-lived').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});

describe('a sign-in provider', () => {
  async function setClient(page: Page, clientId: string, clientSecret?: string, expiresAt?: string): Promise<void> {
    await page
      .getByRole('region', { name: 'Google' })
      .getByRole('button', { name: /client$/ })
      .first()
      .click();
    await page.getByLabel('Client id').fill(clientId);
    if (expiresAt !== undefined) await page.getByLabel('Secret ends').fill(expiresAt);
    if (clientSecret !== undefined) await page.getByLabel('Client secret').fill(clientSecret);
    await button(page, 'Save');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  it('is tested by walking the way of its users, and the page says what to do', async () => {
    const { page } = await dashboard.newPage('/applications');
    const applicationId = await createApplication(page, 'Tested');
    await page.getByRole('link', { name: 'Sign-in providers' }).click();
    const card = page.getByRole('region', { name: 'Google', exact: true });
    const callbackUrl = `${google.service.baseUrl}/api/v1/oauth/callback/google`;
    await card.getByText(callbackUrl).waitFor();
    expect(await card.getByRole('button', { name: 'Test sign-in with Google' }).count()).toBe(0);
    const result = page.getByRole('region', { name: 'Test of the sign-in with Google' });

    // A provider that does not know the callback URL keeps the browser.
    await google.sandbox.addUser({ email: 'ada@example.com' });
    const elsewhere = { clientId: 'elsewhere.apps.sandbox', clientSecret: 'secret' };
    await google.sandbox.addClient({ ...elsewhere, redirectUris: ['https://elsewhere.example.com/'] });
    await setClient(page, elsewhere.clientId, elsewhere.clientSecret);
    await button(page, 'Test sign-in with Google');
    await page.waitForURL((url) => url.hostname === 'localhost');
    await page.goBack();
    await result.getByText(/redirect_uri_mismatch/).waitFor();
    await result.getByText(callbackUrl).waitFor();

    const soon = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    await setClient(page, TEST_CLIENT.clientId, 'not-the-secret', soon);
    await card.getByText('soon').waitFor();
    await button(page, 'Test sign-in with Google');
    await page.getByTestId('account-ada@example.com').click();
    await page.getByTestId('allow').click();
    await result.getByText('failed').waitFor();
    await result.getByText(/secret/).waitFor();

    // The client stays, so only the secret is written.
    await setClient(page, TEST_CLIENT.clientId, TEST_CLIENT.clientSecret);
    await button(page, 'Test again');
    await page.getByTestId('allow').click();
    await result.getByText('passed').waitFor();
    await result.getByText(/ada@example.com signed in/).waitFor();
    await result.getByText(/there is a refresh token/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await sql('select id from end_user_account where application_id = $1', [applicationId])).toEqual([]);
    expect(await page.content()).not.toContain(TEST_CLIENT.clientSecret);

    await button(page, 'Close');
    await button(page, 'Remove client of Google');
    await button(page, 'Remove client');
    await card.getByText('not set').waitFor();
  });
});

describe('an account', () => {
  it('is found, tells why it stopped, comes back by the link to its person, and is deleted', async () => {
    const email = 'grace@example.com';
    const { accountId } = await google.connected(email);
    await google.connected('charles@example.com');
    await sql(
      'insert into redirect_url (id, application_id, url, created_at) values (gen_random_uuid(), $1, $2, now())',
      [google.service.applicationId, application.redirectUrl],
    );
    const { page, problems } = await dashboard.newPage('/accounts');
    await rowOf(page, 'charles@example.com').waitFor();
    await page.getByLabel('Search').fill('GRACE@');
    await page.keyboard.press('Enter');
    await rowOf(page, 'charles@example.com').waitFor({ state: 'detached' });
    await page.getByLabel('Provider').selectOption('GOOGLE');
    await page.getByLabel('Status').selectOption('ACTIVE');
    expect(new URL(page.url()).search).toBe('?search=GRACE%40&providerType=GOOGLE&status=ACTIVE');
    await page.reload();
    await rowOf(page, email).getByRole('link').click();
    await heading(page, email);
    await page.getByText('No known problems.').waitFor();
    await page.getByRole('table', { name: 'Calendars' }).getByText('primary').waitFor();
    await button(page, 'Check now');
    await page.getByText('The provider accepts the credentials').waitFor();

    await google.sandbox.revoke(email);
    const { status } = await google.service.call('GET', `/v1/calendars/${accountId}`);
    expect(status).toBeGreaterThanOrEqual(400);
    await page.reload();
    await page
      .getByTestId('last-failure')
      .getByText(/no longer accepts what the user granted/)
      .waitFor();
    await page.getByText('The provider shows them again when the account is connected again.').waitFor();
    await settled(page);
    expect(await accessibilityProblems(page)).toEqual([]);

    await button(page, 'Get reconnect link');
    const link = await page.getByTestId('reconnect-link').innerText();
    const person = await dashboard.newStranger('/sign-in');
    await person.page.goto(application.pageWithLinkTo(link));
    await person.page.getByRole('link', { name: 'Connect' }).click();
    await person.page.getByTestId(`account-${email}`).click();
    await person.page.getByTestId('allow').click();
    await person.page.getByRole('heading', { name: 'Back in the application' }).waitFor();

    await page.reload();
    await page.getByText('No known problems.').waitFor();
    const timeline = page.getByRole('table', { name: 'Timeline' }).getByRole('rowheader');
    await timeline.getByText('expired').waitFor();
    const entries = await timeline.allInnerTexts();
    expect(entries.filter((entry) => entry === 'connected' || entry === 'expired')).toEqual([
      'connected',
      'expired',
      'connected',
    ]);

    // What the provider refuses is seen at once.
    await google.sandbox.revoke(email);
    await google.sandbox.expireAccessTokens(email);
    await button(page, 'Check now');
    await page.getByTestId('last-failure').waitFor();

    await button(page, 'Delete account');
    await page.getByLabel(/^Type/).fill(email);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
    await heading(page, 'Accounts');
    await rowOf(page, 'charles@example.com').waitFor();
    expect(await rowOf(page, email).count()).toBe(0);
    expect((await google.service.call('GET', `/v1/endUserAccounts/${accountId}`)).status).toBe(404);
    // The check of the account that the provider refused, and its calendars.
    expect(problems.filter((problem) => problem !== rejected('403 (Forbidden)'))).toEqual([]);
  });

  it('is found by its id from anywhere, as applications and requests are', async () => {
    const { page } = await dashboard.newPage('/audit');
    const { accountId } = await google.connected('charles@example.com');
    const { headers } = await google.service.call('GET', `/v1/endUserAccounts/${accountId}`);
    const find = async (id: string) => {
      await page.getByLabel('Find by id').fill(id);
      await page.keyboard.press('Enter');
    };
    await find(accountId);
    await heading(page, 'charles@example.com');
    await find(google.service.applicationId);
    await page.waitForURL(/\/applications\//);
    // What was asked is kept a moment later.
    await eventually('the request is found', async () => {
      await find(headers.get('x-request-id') ?? '');
      const wanted = page.waitForURL(/\/requests\?requestId=/, { timeout: 1_000 });
      return (await wanted.then(() => true).catch(() => undefined)) ?? undefined;
    });
    await find('019a9b2e-8b20-7e15-9d26-6e3a7b8c9d01');
    await page.getByText('Nothing has this id.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('is looked for in vain, and the page says how to look', async () => {
    const { page } = await dashboard.newPage('/accounts?search=nobody&status=EXPIRED');
    await page.getByRole('heading', { name: 'No account is like that' }).waitFor();
    await button(page, 'Show all accounts');
    await rowOf(page, 'charles@example.com').waitFor();
    expect(page.url()).toBe(`${dashboard.origin}/dashboard/accounts`);
  });
});

it('offers viewers nothing that would be refused', async () => {
  const [{ id }] = (await sql<{ id: string }>('select id from end_user_account limit 1')) as [{ id: string }];
  const { applicationId } = google.service;
  await sql(`update operator set role = 'viewer'`);
  try {
    for (const path of [
      '/applications',
      `/applications/${applicationId}`,
      `/applications/${applicationId}/keys`,
      `/applications/${applicationId}/sign-in`,
      `/applications/${applicationId}/redirect-urls`,
      '/accounts',
      `/accounts/${id}`,
    ]) {
      const { page, problems } = await dashboard.newPage(path);
      await settled(page);
      const names = await page
        .getByRole('main')
        .getByRole('button')
        .evaluateAll((buttons) => buttons.map((each) => each.getAttribute('aria-label') ?? each.textContent));
      expect([path, names.filter((name) => !/^(Copy |Clear filters$)/.test(name))]).toEqual([path, []]);
      expect(await page.getByRole('main').getByRole('switch', { disabled: false }).count()).toBe(0);
      expect(problems).toEqual([]);
      await page.close();
    }
  } finally {
    await sql(`update operator set role = 'admin'`);
  }
});

describe('what strangers wrote', () => {
  it('N20 N63 is text, in 50 names, addresses and titles', async () => {
    expect(HOSTILE_TEXTS).toHaveLength(50);
    const { applicationId } = google.service;
    const { accountId } = await google.connected('margaret@example.com');
    await sql('update application set name = $2 where id = $1', [applicationId, HOSTILE_TEXTS[0]]);
    await sql(
      `insert into application (id, name, created_at)
       select gen_random_uuid(), text, now() from unnest($1::text[]) as text`,
      [HOSTILE_TEXTS],
    );
    await sql(
      `insert into api_key (id, application_id, name, scopes, secret_hash, secret_tail, created_at)
       select gen_random_uuid(), $1, text, '{read}', sha256(convert_to(text, 'UTF8')), 'tail', now() from unnest($2::text[]) as text`,
      [applicationId, HOSTILE_TEXTS],
    );
    await sql(
      `insert into end_user_account (id, application_id, provider_configuration_id, provider_type, email, external_id,
         authorized_scopes, provider_account_id, status, status_reason, created_at, updated_at)
       select gen_random_uuid(), application_id, provider_configuration_id, provider_type, text, text,
         array[text], text, 'EXPIRED', text, now(), now()
       from end_user_account, unnest($2::text[]) as text where id = $1`,
      [accountId, HOSTILE_TEXTS],
    );
    for (const summary of HOSTILE_TEXTS) {
      await google.sandbox.act({
        email: 'margaret@example.com',
        methodId: 'calendar.calendars.insert',
        body: { summary },
      });
    }
    const [worst] = await sql<{ id: string }>('select id from end_user_account where email = $1', [HOSTILE_TEXTS[11]]);

    const { page, problems, outside } = await dashboard.newPage('/applications');
    page.on('dialog', (dialog) => {
      problems.push(`said: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const expectText = async (path: string, texts: readonly string[]) => {
      await dashboard.goto(page, path);
      await settled(page);
      const shown = await page.getByRole('main').innerText();
      expect([
        path,
        texts.filter((text) => !shown.includes(text.replaceAll('\t', ' ')) && !shown.includes(text)),
      ]).toEqual([path, []]);
      expect(await page.locator('.ran, main script, main iframe, main object, main embed, main base').count()).toBe(0);
    };
    await expectText('/applications', HOSTILE_TEXTS);
    await expectText(`/applications/${applicationId}/keys`, HOSTILE_TEXTS);
    await expectText(
      `/accounts?search=${encodeURIComponent('<')}`,
      HOSTILE_TEXTS.filter((text) => text.includes('<')),
    );
    await expectText(`/accounts/${accountId}`, HOSTILE_TEXTS);
    await expectText(`/accounts/${worst?.id}`, [HOSTILE_TEXTS[11]!]);
    expect([problems, outside]).toEqual([[], []]);
  });

  it('fits on a phone, however long its words are', async () => {
    const { applicationId } = google.service;
    const { accountId } = await google.connected('barbara@example.com');
    await sql('update application set name = $2 where id = $1', [applicationId, 'n'.repeat(200)]);
    await sql('update end_user_account set email = $2 where id = $1', [accountId, `${'e'.repeat(300)}@example.com`]);
    const { page } = await dashboard.newPage('/profile');
    await page.setViewportSize({ width: 320, height: 740 });
    for (const path of ['/applications', `/applications/${applicationId}`, '/accounts', `/accounts/${accountId}`]) {
      await dashboard.goto(page, path);
      await settled(page);
      expect([path, await page.evaluate('scrollTo(10_000, 0), scrollX')]).toEqual([path, 0]);
    }
    await page.close();
  });
});
