import type { BrowserContextOptions } from 'playwright-core';
import { asAdmin } from '../support/postgres.js';
import { readingProblems } from './readability.js';
import { BAD_REQUEST, OVER, type SignInBrowserFixture } from './sign-in-browser-fixture.js';

/** Addresses at the provider. */
export interface SignInPeople {
  /** They have accounts, and have consented to nothing. */
  first: string;
  second: string;
  /** Nobody has it yet. */
  stranger: string;
}

/** Opens the stage for a suite, and a browser for each test of it; nothing is left of a test for the next one. */
export function usedByEveryTest(stage: SignInBrowserFixture, { first, second }: SignInPeople): void {
  beforeAll(() => stage.start());
  afterAll(() => stage.stop());

  beforeEach(async () => {
    for (const email of [first, second]) await stage.half.addUser({ email });
    await stage.open();
  });

  afterEach(async () => {
    await stage.close();
    for (const email of [first, second]) await stage.half.removeUser(email);
    await stage.provided.sandbox.expectNoViolations();
  });
}

/** What users meet at every provider. */
export function describeSignIn(
  stage: SignInBrowserFixture,
  { first: ADA, second: GRACE, stranger }: SignInPeople,
): void {
  const { subject } = stage;

  describe('a user who connects an account', () => {
    it('comes from the application through account and consent back to it', async () => {
      await stage.begin({ state: 'c3RhdGU=', externalId: 'user-42' });
      await stage.choose(ADA);
      await stage.page.getByTestId('signed-in-as').filter({ hasText: ADA }).waitFor();
      await stage.allow();
      const shown = await stage.home();
      const [account, ...others] = await stage.accounts();
      expect(others).toEqual([]);
      expect(account).toMatchObject({ email: ADA, externalId: 'user-42', status: 'ACTIVE' });
      expect(shown).toEqual({ endUserAccountId: account?.id, state: 'c3RhdGU=' });
      expect((await stage.calendars(account?.id)).status).toBe(200);
      stage.expectProblems();
    });

    it('may have an account that the provider has not seen yet', async () => {
      await stage.begin();
      await stage.page.getByTestId('another-account').fill(stranger);
      await stage.page.getByTestId('use-another-account').click();
      await stage.allow();
      expect((await stage.home())['endUserAccountId']).toBe((await stage.accounts())[0]?.id);
      stage.expectProblems();
    });

    it('N40 keeps the account by connecting it again, and is asked nothing when nothing may be asked', async () => {
      const first = await stage.signIn(ADA);
      await stage.begin({ prompt: 'consent' });
      await stage.allow();
      expect(await stage.home()).toEqual(first);
      await stage.begin({ prompt: 'none' });
      expect(await stage.home()).toEqual(first);
      expect(await stage.accounts()).toHaveLength(1);
      stage.expectProblems();
    });

    it('makes an EXPIRED account work again', async () => {
      const { endUserAccountId } = await stage.signIn(ADA);
      await stage.half.revoke(ADA, subject.client.clientId);
      expect((await stage.calendars(endUserAccountId)).body.code).toBe('EndUserAccountExpired');
      expect(await stage.accounts()).toEqual([expect.objectContaining({ status: 'EXPIRED' })]);

      await stage.begin({ loginHint: ADA, prompt: 'consent' });
      await stage.allow();
      expect(await stage.home()).toEqual({ endUserAccountId });
      expect(await stage.accounts()).toEqual([expect.objectContaining({ id: endUserAccountId, status: 'ACTIVE' })]);
      expect((await stage.calendars(endUserAccountId)).status).toBe(200);
      stage.expectProblems();
    });

    it('can do so in two tabs at once', async () => {
      const other = await stage.newTab();
      await stage.begin({ state: 'first' });
      await stage.begin({ state: 'second' }, other);
      await stage.choose(GRACE, other);
      await stage.choose(ADA);
      await stage.allow();
      const first = await stage.home();
      await stage.allow(other);
      const second = await stage.home(other);
      const ids = Object.fromEntries((await stage.accounts()).map(({ email, id }) => [email, id]));
      expect(first).toEqual({ endUserAccountId: ids[ADA], state: 'first' });
      expect(second).toEqual({ endUserAccountId: ids[GRACE], state: 'second' });
      stage.expectProblems();
    });
  });

  describe('a user who does not connect one is taken back to the application', () => {
    const shown = (error: string) => ({
      error,
      error_description: expect.any(String),
      provider: subject.providerType,
      state: 's',
    });

    afterEach(async () => {
      expect(await stage.accounts()).toEqual([]);
      stage.expectProblems();
    });

    it('N41 after having cancelled', async () => {
      await stage.begin({ state: 's' });
      await stage.choose(ADA);
      await stage.page.getByTestId('cancel').click();
      expect(await stage.home()).toEqual(shown('access_denied'));
    });

    it('N39 after having signed in with another account than the one asked for', async () => {
      await stage.begin({ state: 's', loginHint: ADA });
      await stage.choose(GRACE);
      await stage.allow();
      expect(await stage.home()).toEqual(shown('login_hint_mismatch'));
    });

    it('without a question when none is allowed', async () => {
      await stage.begin({ state: 's', prompt: 'none' });
      expect(await stage.home()).toEqual(shown('interaction_required'));
    });

    it('when the provider fails in the end', async () => {
      await stage.begin({ state: 's' });
      await stage.choose(ADA);
      await stage.half.fault({ kind: 'token' }, { type: 'status', status: 503 });
      try {
        await stage.allow();
        expect(await stage.home()).toEqual(shown('provider_error'));
      } finally {
        await stage.half.clearFaults();
      }
    });
  });

  describe('a page says so, and nobody is sent anywhere', () => {
    it('N37 when the redirect URL is none of the application', async () => {
      await stage.begin({ redirectUrl: `${stage.application.redirectUrl}/elsewhere` });
      await stage.expectRejectedPage(stage.page, /is not one of the redirect URLs of the application/);
      stage.expectProblems(BAD_REQUEST);
    });

    it('N42 when the response was used: opened again, or reached by the back button', async () => {
      const callback = await stage.callbackOf(ADA);
      await stage.page.goto(callback);
      const { endUserAccountId } = await stage.home();
      await stage.page.goto(callback);
      await stage.expectRejectedPage(stage.page, OVER);
      await stage.page.goBack();
      await stage.page.getByRole('heading', { name: 'Back in the application' }).waitFor();
      await stage.page.goForward();
      await stage.expectRejectedPage(stage.page, OVER);
      expect(await stage.accounts()).toEqual([expect.objectContaining({ id: endUserAccountId })]);
      stage.expectProblems(BAD_REQUEST, BAD_REQUEST);
    });

    it('N34 when another browser brings the response; the one that began still finishes', async () => {
      const callback = await stage.callbackOf(ADA, { state: 's' });
      const stranger = await stage.newTab(await stage.newBrowser());
      await stranger.goto(callback);
      await stage.expectRejectedPage(stranger, OVER);
      // With a sign-in of its own, too.
      await stage.begin({}, stranger);
      await stranger.getByTestId(`account-${GRACE}`).waitFor();
      await stranger.goto(callback);
      await stage.expectRejectedPage(stranger, OVER);
      expect(await stage.accounts()).toEqual([]);

      await stage.page.goto(callback);
      expect(await stage.home()).toEqual({ endUserAccountId: (await stage.accounts())[0]?.id, state: 's' });
      stage.expectProblems(BAD_REQUEST, BAD_REQUEST);
    });

    it('N33 when the state was changed', async () => {
      const callback = new URL(await stage.callbackOf(ADA));
      const state = callback.searchParams.get('state') ?? '';
      callback.searchParams.set('state', [...state].reverse().join(''));
      await stage.page.goto(callback.href);
      await stage.expectRejectedPage(stage.page, OVER);
      expect(await stage.accounts()).toEqual([]);
      stage.expectProblems(BAD_REQUEST);
    });

    it('N33 when the user took longer than a sign-in may', async () => {
      await stage.begin();
      await stage.choose(ADA);
      await stage.page.getByTestId('allow').waitFor();
      await asAdmin(stage.provided.service.adminDatabaseUrl, (admin) =>
        admin.query(`update authorization_request set expires_at = expires_at - interval '10 minutes'`),
      );
      await stage.allow();
      await stage.expectRejectedPage(stage.page, OVER);
      expect(await stage.accounts()).toEqual([]);
      stage.expectProblems(BAD_REQUEST);
    });
  });

  describe.each<[string, BrowserContextOptions]>([
    ['on a large screen', { colorScheme: 'light' }],
    ['on a phone in the dark', { viewport: { width: 320, height: 640 }, colorScheme: 'dark', isMobile: true }],
  ])('every page is readable %s', (_, options) => {
    it('from the choice of the account to the page of a failure', async () => {
      const tab = await stage.newTab(await stage.newBrowser(options));
      await stage.begin({}, tab);
      await tab.getByTestId('another-account').waitFor();
      expect(await readingProblems(tab)).toEqual([]);
      await stage.choose(ADA, tab);
      await tab.getByTestId('cancel').waitFor();
      expect(await readingProblems(tab)).toEqual([]);
      await stage.begin({ redirectUrl: 'https://elsewhere.example/' }, tab);
      await stage.expectRejectedPage(tab, /is not one of/);
      expect(await readingProblems(tab)).toEqual([]);
      stage.expectProblems(BAD_REQUEST);
    });
  });
}
