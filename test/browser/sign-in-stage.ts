import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium, watchPage, type WatchedPage } from '../support/chromium.js';
import type { OAuthAccounts } from '../support/oauth-accounts.js';
import { startReceivingApplication, type ReceivingApplication } from './receiving-application.js';

/** Chromium tells of every page with such a status. */
export const BAD_REQUEST = 'Failed to load resource: the server responded with a status of 400 (Bad Request)';
/** What a user reads whose sign-in cannot be finished. */
export const OVER = 'This sign-in is over, or it began in another browser. Go back to the application and start again.';

/** The service and its provider, as a stage needs them. */
export interface StageService extends OAuthAccounts {
  /** As users' browsers know it. */
  providerOrigin: string;
  stop(): Promise<void>;
}

/** Users of an application, their browsers, and the pages that they meet on their way to a provider and back. */
export class SignInStage {
  /** Of the user whom a test is about; there is a new one for each test. */
  context!: BrowserContext;
  page!: Page;
  private contexts: BrowserContext[] = [];
  private tabs: WatchedPage[] = [];

  private constructor(
    private readonly provider: string,
    readonly provided: StageService,
    readonly application: ReceivingApplication,
    private readonly chromium: Browser,
  ) {}

  /** @param provider in paths: `google` */
  static async start(provider: string, startService: () => Promise<StageService>): Promise<SignInStage> {
    const application = await startReceivingApplication();
    let provided: StageService | undefined;
    try {
      provided = await startService();
      const { service } = provided;
      await service.ops(
        ...['redirect-url', 'add', '--application', service.applicationId, '--url', application.redirectUrl],
      );
      return new SignInStage(provider, provided, application, await startChromium());
    } catch (error) {
      await provided?.stop();
      await application.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.chromium.close();
    await this.provided.stop();
    await this.application.close();
  }

  async open(): Promise<void> {
    this.contexts = [];
    this.tabs = [];
    this.context = await this.newBrowser();
    this.page = await this.newTab();
  }

  /** Closes what is open, and removes every account. */
  async close(): Promise<void> {
    for (const browser of this.contexts) await browser.close();
    for (const { id } of await this.accounts()) await this.provided.service.call('DELETE', `/v1/endUserAccounts/${id}`);
  }

  /** Cookies of its own. */
  async newBrowser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const browser = await this.chromium.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    this.contexts.push(browser);
    return browser;
  }

  async newTab(browser = this.context): Promise<Page> {
    const { application, provided } = this;
    const origins = [application.origin, provided.service.baseUrl, provided.providerOrigin];
    const tab = watchPage(await browser.newPage(), origins);
    this.tabs.push(tab);
    return tab.page;
  }

  /** What went wrong in the pages, and nothing else did. */
  expectProblems(...expected: string[]): void {
    expect(this.tabs.flatMap(({ problems }) => problems)).toEqual(expected);
    expect(this.tabs.flatMap(({ outside }) => outside)).toEqual([]);
  }

  async accounts(): Promise<{ id: string; email: string; status: string }[]> {
    return (await this.provided.service.call('GET', '/v1/endUserAccounts')).body.data;
  }

  /** Status of the account's calendars, as the application asks for them. */
  async calendars(accountId: string | undefined): Promise<{ status: number; body: any }> {
    return this.provided.service.call('GET', `/v1/calendars/${accountId}`);
  }

  /** The user follows the application's link. */
  async begin(query: Record<string, string> = {}, tab = this.page): Promise<void> {
    const { baseUrl, applicationId } = this.provided.service;
    const path = `/api/v1/oauth/authorize/${applicationId}/${this.provider}`;
    const authorize = `${baseUrl}${path}?${new URLSearchParams(query).toString()}`;
    await tab.goto(this.application.pageWithLinkTo(authorize));
    await tab.getByRole('link', { name: 'Connect' }).click();
  }

  choose(email: string, tab = this.page): Promise<void> {
    return tab.getByTestId(`account-${email}`).click();
  }

  allow(tab = this.page): Promise<void> {
    return tab.getByTestId('allow').click();
  }

  async signIn(email: string): Promise<Record<string, string>> {
    await this.begin();
    await this.choose(email);
    await this.allow();
    return this.home();
  }

  /** What the application is told. */
  async home(tab = this.page): Promise<Record<string, string>> {
    await tab.waitForURL(`${this.application.redirectUrl}?**`);
    await tab.getByRole('heading', { name: 'Back in the application' }).waitFor();
    return Object.fromEntries(new URL(tab.url()).searchParams);
  }

  /** Signs in, but for the last step: the browser stays with the provider, and this address is not visited yet. */
  async callbackOf(email: string, query: Record<string, string> = {}): Promise<string> {
    await this.begin(query);
    await this.choose(email);
    const callback = Promise.withResolvers<string>();
    await this.page.route(`${this.provided.providerOrigin}/signin/consent`, async (route) => {
      const answer = await route.fetch({ maxRedirects: 0 });
      callback.resolve(answer.headers()['location'] ?? '');
      await route.fulfill({ status: 204 });
    });
    await this.allow();
    return callback.promise;
  }

  async expectRefusedPage(tab: Page, sentence: string | RegExp): Promise<void> {
    await tab.getByRole('heading', { name: 'Your calendar was not connected' }).waitFor();
    await tab.getByText(sentence).waitFor();
    expect(new URL(tab.url()).origin).toBe(this.provided.service.baseUrl);
  }
}
