import type { Browser, Page } from 'playwright-core';
import { openPage, startChromium, type WatchedPage } from '../support/chromium.js';
import { FaultServer } from '../support/fault-server.js';
import { answer } from '../support/faults.js';
import { GRANULAR_SCOPES, startSandbox, type Sandbox } from '../support/sandbox.js';

const ADA = 'ada@example.com';

describe('the sign-in pages in a browser', () => {
  let sandbox: Sandbox;
  let client: FaultServer;
  let browser: Browser;

  beforeAll(async () => {
    sandbox = await startSandbox();
    client = await FaultServer.start();
    client.route('/callback', answer(200, 'back at the application', { 'content-type': 'text/plain' }));
    client.route('/favicon.ico', answer(204)); // browsers ask for it when they like
    browser = await startChromium();
  });

  beforeEach(async () => {
    await sandbox.reset();
    await sandbox.addClient({
      clientId: 'cid-1.apps.sandbox',
      clientSecret: 'secret-1',
      redirectUris: [`${client.origin}/callback`],
    });
    await sandbox.addUser({ email: ADA, name: 'Ada Byron' });
    await sandbox.addUser({ email: 'grace@example.com', name: 'Grace <b>Murray</b>' });
  });

  afterAll(async () => {
    await browser?.close();
    await client?.close();
    await sandbox?.stop();
  });

  const begin = (parameters: Record<string, string> = {}): Promise<WatchedPage> => {
    const query = new URLSearchParams({
      ...{ client_id: 'cid-1.apps.sandbox', redirect_uri: `${client.origin}/callback`, response_type: 'code' },
      ...{ scope: GRANULAR_SCOPES.join(' '), state: 's-1', access_type: 'offline', ...parameters },
    });
    return openPage(browser, `${sandbox.googleUrl}/o/oauth2/v2/auth?${query.toString()}`);
  };
  const backAt = async (page: Page): Promise<URLSearchParams> => {
    await page.waitForURL(`${client.origin}/callback?**`);
    return new URL(page.url()).searchParams;
  };

  it('lead from the account over the consent back to the application', async () => {
    const { page, problems, outside } = await begin();
    // SCREENSHOTS=<directory> shows what the pages look like.
    const shoot = async (name: string): Promise<void> => {
      const directory = process.env['SCREENSHOTS'];
      if (directory !== undefined) await page.screenshot({ path: `${directory}/${name}.png` });
    };
    await shoot('account');
    expect(await page.getByTestId('account-grace@example.com').innerText()).toContain('Grace <b>Murray</b>');
    await page.getByTestId(`account-${ADA}`).click();
    await page.getByTestId('allow').waitFor();
    await shoot('consent');
    expect(await page.getByTestId('signed-in-as').innerText()).toBe(ADA);
    await page.getByTestId('allow').click();
    const answered = await backAt(page);
    expect(answered.get('state')).toBe('s-1');
    expect(answered.get('scope')?.split(' ')).toEqual(expect.arrayContaining(GRANULAR_SCOPES.slice(2)));
    expect(problems).toEqual([]);
    expect(new Set(outside.map((url) => new URL(url).origin))).toEqual(new Set([client.origin]));
    await page.close();
  });

  it('leave out a scope whose box is emptied', async () => {
    const { page } = await begin();
    await page.getByTestId(`account-${ADA}`).click();
    await page.getByTestId('scope-calendar.events').uncheck();
    await page.getByTestId('allow').click();
    expect((await backAt(page)).get('scope')).not.toContain('calendar.events');
    await page.close();
  });

  it('go back with access_denied on Cancel', async () => {
    const { page } = await begin();
    await page.getByTestId(`account-${ADA}`).click();
    await page.getByTestId('cancel').click();
    expect((await backAt(page)).get('error')).toBe('access_denied');
    await page.close();
  });

  it('can be used with the keyboard alone, and have names for everything', async () => {
    const { page } = await begin({ login_hint: 'new.person@example.org' });
    const field = page.getByLabel('Use another account');
    expect(await field.inputValue()).toBe('new.person@example.org');
    await field.press('Enter');
    const box = page.getByRole('checkbox', { name: /calendar\.events/ });
    await box.press('Space');
    expect(await box.isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Allow' }).press('Enter');
    expect((await backAt(page)).get('scope')).not.toContain('calendar.events');
    await page.close();
  });

  it('remember who is signed in', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const { page: first } = await begin();
    const url = first.url();
    await first.close();
    await page.goto(url);
    await page.getByTestId(`account-${ADA}`).click();
    await page.getByTestId('allow').click();
    await backAt(page);
    await page.goto(url);
    expect((await backAt(page)).get('prompt')).toBe('none');
    await context.close();
  });

  it('show on a page of their own what is wrong with the request', async () => {
    const { page } = await begin({ redirect_uri: 'http://127.0.0.1:9/<script>alert(1)</script>' });
    expect(await page.getByTestId('fault').innerText()).toBe('Error 400: redirect_uri_mismatch');
    expect(await page.getByTestId('fault-details').innerText()).toContain('<script>alert(1)</script>');
    expect(await page.locator('script').count()).toBe(0);
    await page.close();
  });
});
