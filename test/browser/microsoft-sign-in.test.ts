import { jest } from '@jest/globals';
import { startMicrosoftService, TEST_MICROSOFT_CLIENT } from '../support/microsoft-service.js';
import type { MicrosoftSandboxControls } from '../support/sandbox-microsoft.js';
import { readingProblems } from './readability.js';
import { SignInStage } from './sign-in-stage.js';

/** Other suites may have the machine at the same time. */
jest.setTimeout(120_000);

const FABRIKAM = 'aaaaaaaa-0000-4000-8000-000000000001';
/** Its users may not consent for themselves, until its administrator has. */
const CONTOSO = 'aaaaaaaa-0000-4000-8000-000000000002';
const NORA = 'nora@contoso.example';
const IDA = 'ida.berg@fabrikam.example';
const IDA_SIGNS_IN_AS = 'ida@fabrikam.example';
const OMAR = 'omar@fabrikam.example';
const PAT = 'pat@outlook.com';

let stage: SignInStage;
let microsoft: MicrosoftSandboxControls;

beforeAll(async () => {
  stage = await SignInStage.start('microsoft', async () => {
    const started = await startMicrosoftService();
    return { ...started, providerOrigin: started.sandbox.microsoftUrl };
  });
  ({ microsoft } = stage.provided.sandbox);
});

afterAll(() => stage?.stop());

beforeEach(async () => {
  await microsoft.addUser({ tid: FABRIKAM, email: IDA, userPrincipalName: IDA_SIGNS_IN_AS });
  await microsoft.addUser({ tid: FABRIKAM, email: OMAR });
  await microsoft.addUser({ email: PAT });
  await stage.open();
});

afterEach(async () => {
  await stage.close();
  for (const { userPrincipalName } of await microsoft.users()) await microsoft.removeUser(userPrincipalName);
  expect(await microsoft.violations()).toEqual([]);
});

describe('a user who connects a Microsoft account', () => {
  it.each([IDA, PAT])('comes from the application through account and consent back to it: %s', async (email) => {
    await stage.begin({ state: 'c3RhdGU=', externalId: 'user-42' });
    await stage.choose(email);
    await stage.allow();
    const told = await stage.home();
    const [account, ...others] = await stage.accounts();
    expect(others).toEqual([]);
    expect(account).toMatchObject({ email, externalId: 'user-42', status: 'ACTIVE' });
    expect(told).toEqual({ endUserAccountId: account?.id, state: 'c3RhdGU=' });
    expect((await stage.calendars(account?.id)).status).toBe(200);
    stage.expectProblems();
  });

  it('N40 keeps the account by connecting it again, and is asked nothing when nothing may be asked', async () => {
    const first = await stage.signIn(IDA);
    await stage.begin({ prompt: 'none' });
    expect(await stage.home()).toEqual(first);
    expect(await stage.accounts()).toHaveLength(1);
    stage.expectProblems();
  });

  it('N39 may be asked for by the name that they sign in with', async () => {
    await stage.begin({ loginHint: IDA_SIGNS_IN_AS.toUpperCase() });
    await stage.choose(IDA);
    await stage.allow();
    expect(await stage.home()).toEqual({ endUserAccountId: (await stage.accounts())[0]?.id });
    expect(await stage.accounts()).toEqual([expect.objectContaining({ email: IDA })]);
    stage.expectProblems();
  });

  it('makes an EXPIRED account work again', async () => {
    const { endUserAccountId } = await stage.signIn(IDA);
    await microsoft.revoke(IDA, TEST_MICROSOFT_CLIENT.clientId);
    expect((await stage.calendars(endUserAccountId)).body.code).toBe('EndUserAccountExpired');
    await stage.begin({ prompt: 'consent' });
    await stage.allow();
    expect(await stage.home()).toEqual({ endUserAccountId });
    expect((await stage.calendars(endUserAccountId)).status).toBe(200);
    stage.expectProblems();
  });

  it('can do so when an administrator has consented for everybody', async () => {
    await microsoft.consentPolicy(CONTOSO, 'admin');
    await microsoft.addUser({ tid: CONTOSO, email: NORA });
    try {
      await stage.begin({ state: 's' });
      await stage.choose(NORA);
      await stage.page.getByTestId('need-admin-approval').waitFor();
      expect(await readingProblems(stage.page)).toEqual([]);
      await stage.page.getByTestId('return').click();
      expect(await stage.home()).toMatchObject({ error: 'admin_consent_required', provider: 'MICROSOFT', state: 's' });
      expect(await stage.accounts()).toEqual([]);

      await microsoft.adminConsent(CONTOSO, TEST_MICROSOFT_CLIENT.clientId);
      await stage.begin();
      expect(await stage.home()).toEqual({ endUserAccountId: (await stage.accounts())[0]?.id });
    } finally {
      await microsoft.consentPolicy(CONTOSO, 'user');
    }
    stage.expectProblems();
  });
});

describe('a user who does not connect one is taken back to the application', () => {
  const told = (error: string) => ({ error, error_description: expect.any(String), provider: 'MICROSOFT', state: 's' });

  afterEach(async () => {
    expect(await stage.accounts()).toEqual([]);
    stage.expectProblems();
  });

  it('N41 after having cancelled', async () => {
    await stage.begin({ state: 's' });
    await stage.choose(IDA);
    expect(await readingProblems(stage.page)).toEqual([]);
    await stage.page.getByTestId('cancel').click();
    expect(await stage.home()).toEqual(told('access_denied'));
  });

  it('N39 after having signed in with another account than the one asked for', async () => {
    await stage.begin({ state: 's', loginHint: IDA });
    await stage.choose(OMAR);
    await stage.allow();
    expect(await stage.home()).toEqual(told('login_hint_mismatch'));
  });

  it('without a question when none is allowed', async () => {
    await stage.begin({ state: 's', prompt: 'none' });
    expect(await stage.home()).toEqual(told('interaction_required'));
  });

  it('when there is no mailbox', async () => {
    await microsoft.addUser({ tid: FABRIKAM, email: 'guest@fabrikam.example', hasMailbox: false });
    await stage.begin({ state: 's' });
    await stage.choose('guest@fabrikam.example');
    await stage.allow();
    expect(await stage.home()).toEqual(told('provider_error'));
  });
});
