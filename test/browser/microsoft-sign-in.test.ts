// 50 s: Chromium goes through every page of a sign-in, on two screens and in both themes, with accounts of three kinds.
import { TEST_MICROSOFT_CLIENT } from '../support/microsoft-service.js';
import type { MicrosoftSandboxControls } from '../support/sandbox-microsoft.js';
import { readingProblems } from './readability.js';
import { describeSignIn, usedByEveryTest } from './sign-in-paths.js';
import { BAD_REQUEST, SignInBrowserFixture } from './sign-in-browser-fixture.js';
import { MICROSOFT } from './sign-in-subjects.js';

const FABRIKAM = 'aaaaaaaa-0000-4000-8000-000000000001';
const CONTOSO = 'aaaaaaaa-0000-4000-8000-000000000002';
const NORA = 'nora@contoso.example';
const IDA = 'ida.berg@fabrikam.example';
const IDA_SIGNS_IN_AS = 'ida@fabrikam.example';
const GUEST = 'guest@fabrikam.example';
const PAT = 'pat@outlook.com';
const PEOPLE = { first: 'omar@adatum.example', second: PAT, stranger: 'una@outlook.com' };

const stage = new SignInBrowserFixture(MICROSOFT);
let microsoft: MicrosoftSandboxControls;

usedByEveryTest(stage, PEOPLE);

beforeEach(async () => {
  ({ microsoft } = stage.provided.sandbox);
  await microsoft.addUser({ tid: FABRIKAM, email: IDA, userPrincipalName: IDA_SIGNS_IN_AS });
  await microsoft.addUser({ tid: FABRIKAM, email: GUEST, hasMailbox: false });
  await microsoft.addUser({ tid: CONTOSO, email: NORA });
});

afterEach(async () => {
  for (const email of [IDA, GUEST, NORA]) await microsoft.removeUser(email);
});

describeSignIn(stage, PEOPLE);

describe('a user of Microsoft', () => {
  it.each([
    ['of an organization', IDA],
    ['of their own', PAT],
  ])('connects an account %s', async (_, email) => {
    const shown = await stage.signIn(email);
    const accounts = await stage.accounts();
    expect(accounts).toEqual([expect.objectContaining({ email, status: 'ACTIVE' })]);
    expect(shown).toEqual({ endUserAccountId: accounts[0]?.id });
    stage.expectProblems();
  });

  it('N40 is asked nothing when they connect it again', async () => {
    const first = await stage.signIn(IDA);
    await stage.begin();
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

  it('is sent back until an administrator has consented for everybody', async () => {
    await microsoft.consentPolicy(CONTOSO, 'admin');
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

  it('is sent back without a mailbox', async () => {
    await stage.begin({ state: 's' });
    await stage.choose(GUEST);
    await stage.allow();
    expect(await stage.home()).toMatchObject({ error: 'provider_error', provider: 'MICROSOFT', state: 's' });
    expect(await stage.accounts()).toEqual([]);
    stage.expectProblems();
  });

  it.each([
    ['a personal account, where only organizations may', 'organizations', PAT],
    ['an account of an organization, where only personal ones may', 'consumers', IDA],
    ['an account of another directory', FABRIKAM, NORA],
  ])('does not get past the pages of Microsoft with %s', async (_, tenant, email) => {
    await stage.setClient('--tenant', tenant);
    try {
      await stage.begin();
      const another = stage.page.getByTestId('another-account');
      await another.waitFor();
      expect(await stage.page.getByTestId(`account-${email}`).count()).toBe(0);
      await another.fill(email);
      await stage.page.getByTestId('use-another-account').click();
      await stage.page.getByTestId('fault').filter({ hasText: 'AADSTS50020' }).waitFor();
      expect(await stage.accounts()).toEqual([]);
    } finally {
      await stage.setClient();
    }
    stage.expectProblems(BAD_REQUEST);
  });

  it('connects the directory of the client', async () => {
    await stage.setClient('--tenant', FABRIKAM);
    try {
      await stage.signIn(IDA);
      expect(await stage.accounts()).toEqual([expect.objectContaining({ email: IDA, status: 'ACTIVE' })]);
    } finally {
      await stage.setClient();
    }
    stage.expectProblems();
  });
});
