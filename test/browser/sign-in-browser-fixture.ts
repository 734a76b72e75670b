import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium, watchPage, type WatchedPage } from '../support/chromium.js';
import type { OAuthAccounts } from '../support/oauth-accounts.js';
import type { SandboxedSettings } from '../support/sandboxed-service.js';
import { startReceivingApplication, type ReceivingApplication } from './receiving-application.js';
import type { SandboxHalf, SignInSubject } from './sign-in-subjects.js';

/** Chromium tells of every page with such a status. */
export const BAD_REQUEST = 'Failed to load resource: the server responded with a status of 400 (Bad Request)';
/** What a user reads whose sign-in cannot be finished. */
export const OVER = 'This sign-in is over, or it began in another browser. Go back to the application and start again.';

/** Users of an application, their browsers, and the pages that they meet on their way to a provider and back. */
export class SignInBrowserFixture {
  /** Of the user whom a test is about; there is a new one for each test. */
  context!: BrowserContext;
  page!: Page;
  private contexts: BrowserContext[] = [];
  private tabs: WatchedPage[] = [];

  provided!: OAuthAccounts & { stop(): Promise<void> };
  application!: ReceivingApplication;
  private chromium!: Browser;

  /** @param settings of the service; where its provider is, as users' browsers know it, is one of them */
  constructor(
    readonly subject: SignInSubject,
    private readonly settings: SandboxedSettings = {},
    private readonly providerOriginOf = subject.origin,
  ) {}

  async start(): Promise<void> {
    this.application = await startReceivingApplication();
    this.chromium = await startChromium();
    this.provided = await this.subject.start(this.settings);
    const { service } = this.provided;
    const url = this.application.redirectUrl;
    await service.ops('redirect-url', 'add', '--application', service.applicationId, '--url', url);
  }

  /** Also when it could not be started wholly. */
  async stop(): Promise<void> {
    await this.chromium?.close();
    await this.provided?.stop();
    await this.application?.close();
  }

  /** The application's OAuth client, with these options of `oauth-client set` only. */
  async setClient(...options: string[]): Promise<void> {
    const { provider, client } = this.subject;
    await this.provided.service.ops(
      ...['oauth-client', 'set', '--application', this.provided.service.applicationId, '--provider', provider],
      ...['--client-id', client.clientId, '--client-secret', client.clientSecret],
      ...options,
    );
  }

  /** What can be told to the provider. */
  get half(): SandboxHalf {
    return this.subject.half(this.provided.sandbox);
  }

  /** As users' browsers know it. */
  get providerOrigin(): string {
    return this.providerOriginOf(this.provided.sandbox);
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
    const origins = [this.application.origin, this.provided.service.baseUrl, this.providerOrigin];
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
    const path = `/api/v1/oauth/authorize/${applicationId}/${this.subject.provider}`;
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
    await this.page.route(`${this.providerOrigin}/signin/consent`, async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      callback.resolve(response.headers()['location'] ?? '');
      await route.fulfill({ status: 204 });
    });
    await this.allow();
    return callback.promise;
  }

  async expectRejectedPage(tab: Page, sentence: string | RegExp): Promise<void> {
    await tab.getByRole('heading', { name: 'Your calendar was not connected' }).waitFor();
    await tab.getByText(sentence).waitFor();
    expect(new URL(tab.url()).origin).toBe(this.provided.service.baseUrl);
  }
}
