import { Visitor } from '../sandbox/visitor.js';
import { Browser } from '../support/browser.js';
import { startMicrosoftService, TEST_MICROSOFT_CLIENT, type MicrosoftService } from '../support/microsoft-service.js';

const HOME = 'https://app.example.test/connected';
const VICTIM = 'ceo@contoso.example';
/** What the administrator of a directory makes of somebody there. */
const MALLORY = { email: 'mallory@rogue.example', userPrincipalName: 'mallory@rogue.example' };

describe('the addresses of MICROSOFT accounts', () => {
  let microsoft: MicrosoftService;

  beforeAll(async () => {
    microsoft = await startMicrosoftService({});
    const { service } = microsoft;
    await service.ops('redirect-url', 'add', '--application', service.applicationId, '--url', HOME);
  });

  afterEach(async () => {
    for (const { id } of await accounts()) await microsoft.service.call('DELETE', `/v1/endUserAccounts/${id}`);
    for (const { userPrincipalName } of await half().users()) await half().removeUser(userPrincipalName);
    expect(await half().violations()).toEqual([]);
  });

  afterAll(() => microsoft?.stop());

  const half = () => microsoft.sandbox.microsoft;
  const accounts = async (): Promise<{ id: string; email: string; providerAccountId: string }[]> =>
    (await microsoft.service.call('GET', '/v1/endUserAccounts')).body.data;

  /** By a grant that the application brings along. */
  async function connect(email: string, userPrincipalName = email) {
    const { refreshToken } = await half().grant(userPrincipalName, TEST_MICROSOFT_CLIENT.clientId);
    const body = { email, providerType: 'MICROSOFT', refreshToken };
    return microsoft.service.call('POST', '/v1/endUserAccounts', { body });
  }

  /** @returns what the application gets back */
  async function signIn(userPrincipalName: string, query: Record<string, string> = {}) {
    const { baseUrl, applicationId } = microsoft.service;
    const browser = new Browser();
    const search = new URLSearchParams({ prompt: 'select_account', ...query }).toString();
    const away = await browser.visit(`${baseUrl}/api/v1/oauth/authorize/${applicationId}/microsoft?${search}`);
    const back = await new Visitor(half().url).signIn(away.location ?? '', userPrincipalName);
    const home = await browser.visit(back.url);
    return Object.fromEntries(new URL(home.location ?? '').searchParams);
  }

  it.each([
    ['does not ask for xms_edov', {}],
    ['says that nobody verified it', { xmsEdov: false }],
  ])(
    'N40 nobody passes for whom an administrator named them after: the client %s',
    async (_, claim) => {
      await half().addUser({ ...MALLORY, mail: VICTIM, ...claim });
      expect(await signIn(MALLORY.email, { loginHint: VICTIM })).toMatchObject({ error: 'login_hint_mismatch' });
      expect(await connect(VICTIM, MALLORY.email)).toMatchObject({
        status: 400,
        body: { code: 'CredentialsRejected' },
      });
      expect(await accounts()).toEqual([]);
      const { endUserAccountId } = await signIn(MALLORY.email);
      expect(await accounts()).toEqual([expect.objectContaining({ id: endUserAccountId, email: MALLORY.email })]);
      expect(await connect(MALLORY.email)).toMatchObject({ status: 200, body: { id: endUserAccountId } });
      expect(await accounts()).toEqual([expect.objectContaining({ email: MALLORY.email })]);
    },
    60_000,
  );

  it('takes an address in the domain of the sign-in name', async () => {
    const [mail, upn] = ['Ida.Berg@fabrikam.example', 'ida@fabrikam.example'];
    await half().addUser({ email: mail, userPrincipalName: upn });
    const { endUserAccountId } = await signIn(upn, { loginHint: mail.toLowerCase() });
    expect(await accounts()).toEqual([expect.objectContaining({ id: endUserAccountId, email: mail })]);
    expect(await signIn(upn, { loginHint: upn })).toEqual({ endUserAccountId });
    expect(await connect(upn)).toMatchObject({ status: 200, body: { id: endUserAccountId, email: mail } });
  });

  it('takes another address when its domain is verified, and keeps the account when it is not any more', async () => {
    const upn = 'ida@fabrikam.onmicrosoft.example';
    const user = { email: 'ida@fabrikam.example', userPrincipalName: upn };
    const { oid, tid } = await half().addUser({ ...user, xmsEdov: true });
    const { endUserAccountId } = await signIn(upn, { loginHint: user.email });
    expect(await accounts()).toEqual([expect.objectContaining({ id: endUserAccountId, email: user.email })]);
    expect(await connect(user.email)).toMatchObject({ status: 200, body: { id: endUserAccountId, email: user.email } });

    await half().removeUser(upn);
    await half().addUser({ ...user, oid, tid });
    expect(await signIn(upn, { loginHint: user.email })).toMatchObject({ error: 'login_hint_mismatch' });
    expect(await signIn(upn)).toEqual({ endUserAccountId });
    expect(await accounts()).toEqual([
      expect.objectContaining({ id: endUserAccountId, email: upn, providerAccountId: `${tid}.${oid}` }),
    ]);
  });

  it('takes every address of a personal account', async () => {
    const user = { email: 'pat@outlook.example', userPrincipalName: 'pat@mail.example', kind: 'personal' as const };
    await half().addUser(user);
    const { endUserAccountId } = await signIn(user.email, { loginHint: user.email });
    expect(await accounts()).toEqual([expect.objectContaining({ id: endUserAccountId, email: user.email })]);
    expect(await signIn(user.email, { loginHint: user.userPrincipalName })).toEqual({ endUserAccountId });
  });
});
