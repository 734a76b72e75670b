import type { FaultAction } from '../../apps/sandbox/src/faults/fault.js';
import { Visitor } from '../sandbox/visitor.js';
import { Browser } from '../support/browser.js';
import { MICROSOFT, type SandboxHalf, type SignInSubject } from '../browser/sign-in-subjects.js';
import type { OAuthAccounts } from '../support/oauth-accounts.js';
import { asAdmin } from '../support/postgres.js';
import { eventually } from '../support/processes.js';
import type { Answer, Service } from '../support/service.js';
import { runWorker, type WorkerUnderTest } from '../support/worker.js';
import { canary, dump, expectNowhere } from './canaries.js';

const HOME = 'https://app.example.test/connected';
const ADA = 'ada@example.com';
const OWN_CLIENT_ID = 'c0ffee00-0000-4000-8000-000000000001';

/**
 * A service and a worker that meet everything that can go wrong with a provider, at their most talkative; then the search
 * for what must not have been written down.
 */
export function describeCanaries(subject: SignInSubject): void {
  const LIST = subject === MICROSOFT ? 'value' : 'items';

  /** Everything that lets somebody act as somebody else; more comes in as the sandbox issues it. */
  const SECRETS: Record<string, string> = {
    sharedClientSecret: canary('sharedclientsecret'),
    wrongClientSecret: canary('wrongclientsecret'),
    ownClientSecret: canary('ownclientsecret'),
    rejectedRefreshToken: canary('refusedrefreshtoken'),
    rejectedPassword: canary('refusedpassword'),
    rejectedCode: canary('refusedcode'),
    cookie: canary('cookie'),
    bearer: canary('bearer'),
    idToken: canary('idtoken'),
    echoedToken: canary('echoedtoken'),
  };
  /** What people write into their calendars. */
  const CONTENT = {
    title: canary('title'),
    description: canary('description'),
    search: canary('search'),
    attendee: canary('attendee'),
    callerState: canary('callerstate'),
  };
  /** What the provider says besides what it is asked for. */
  const PROVIDER = { body: canary('providerbody'), header: canary('providerheader') };

  const NOISE = { 'x-noise': PROVIDER.header, 'www-authenticate': `Bearer realm="${PROVIDER.header}"` };
  const TOKENS = { access_token: SECRETS['echoedToken'], expires_in: 3600, token_type: 'Bearer' };

  const status = (code: number, error: string): FaultAction => ({
    type: 'status',
    status: code,
    headers: NOISE,
    body: { error, error_description: `${PROVIDER.body} ${subject.client.clientSecret}`, error_uri: PROVIDER.body },
  });
  /** Every class of failure of a token call. `invalid_grant` is what the accounts below end with. */
  const TOKEN_FAULTS: FaultAction[] = [
    status(400, 'invalid_request'),
    status(401, 'invalid_client'),
    status(400, 'unauthorized_client'),
    status(403, 'made_up'),
    status(429, 'rate_limit_exceeded'),
    status(500, 'internal_failure'),
    status(503, 'unavailable'),
    { type: 'html' },
    { type: 'reset' },
    { type: 'truncate' },
    { type: 'garbage' },
    { type: 'lose-response' },
    { type: 'reset-mid-body' },
    { type: 'huge', bytes: 1_000_000 },
    { type: 'replace', body: { ...TOKENS, access_token: { [PROVIDER.body]: SECRETS['echoedToken'] } } },
    { type: 'replace', body: { ...TOKENS, id_token: SECRETS['idToken'], refresh_token: [PROVIDER.body] } },
    status(400, 'invalid_grant'),
  ];
  const details = { errors: [{ reason: 'other', message: PROVIDER.body }], innerError: { message: PROVIDER.body } };
  const apiStatus = (code: number): FaultAction => ({
    type: 'status',
    status: code,
    headers: NOISE,
    body: { error: { code, message: PROVIDER.body, ...details } },
  });
  /** Of a call of the API that an account survives. A provider's sentence about a 400 is for the caller: not among them. */
  const API_FAULTS: FaultAction[] = [
    ...[403, 404, 409, 410, 412, 429, 500, 503].map(apiStatus),
    { type: 'status', status: 302, headers: { location: `https://${PROVIDER.body}.invalid/` } },
    { type: 'html' },
    { type: 'hang' },
    { type: 'reset' },
    { type: 'truncate' },
    { type: 'garbage' },
    { type: 'lose-response' },
    { type: 'replace', body: { [LIST]: [{ id: { [PROVIDER.body]: 1 } }] } },
  ];

  let provided: OAuthAccounts & { stop(): Promise<void> };
  let half: SandboxHalf;
  let worker: WorkerUnderTest;
  const responses: Answer[] = [];
  const errorPages: string[] = [];

  const call: Service['call'] = async (method, path, options) => {
    const response = await provided.service.call(method, path, options);
    responses.push(response);
    return response;
  };

  const admin = (text: string, values: unknown[] = []) =>
    asAdmin(provided.service.adminDatabaseUrl, (client) => client.query(text, values));

  /** As far as the account's credentials tell: young tokens are not refreshed for a refusal. */
  const age = (accountId: string) =>
    admin("update credential set updated_at = updated_at - interval '2 minutes' where end_user_account_id = $1", [
      accountId,
    ]);

  /** From now on these are secrets, too. */
  function plant(name: string, given: Record<string, string | null | undefined>): void {
    for (const [kind, secret] of Object.entries(given)) {
      expect([name, kind, (secret ?? '').length > 8]).toEqual([name, kind, true]);
      SECRETS[`${kind} of ${name}`] = secret ?? '';
    }
  }

  /** What the account lives on now. The one answer that holds tokens is looked at here alone. */
  async function plantCredentials(accountId: string, moment: string): Promise<void> {
    const { status, body } = await provided.service.call('GET', `/v1/endUserAccounts/${accountId}/credentials`);
    expect(status).toBe(200);
    plant(`${accountId} ${moment}`, { accessToken: body.accessToken, refreshToken: body.refreshToken });
  }

  async function connected(email: string): Promise<{ accountId: string; calendarId: string }> {
    const { accountId, calendarId, grant } = await provided.connected(email);
    plant(`grant ${email}`, { accessToken: grant.accessToken, refreshToken: grant.refreshToken });
    await plantCredentials(accountId, 'connected');
    return { accountId, calendarId };
  }

  const EVENT = {
    title: CONTENT.title,
    description: CONTENT.description,
    start: { dateTime: '2033-01-15T09:00:00Z' },
    attendees: [{ email: `${CONTENT.attendee}@example.com` }],
  };

  async function useApi({ accountId, calendarId }: { accountId: string; calendarId: string }): Promise<void> {
    const events = `/v1/events/${accountId}/${calendarId}`;
    await Promise.all([
      call('GET', `/v1/calendars/${accountId}`),
      call('GET', events, { query: { search: CONTENT.search } }),
      call('GET', `${events}/abcdefgh`),
      call('POST', events, { body: EVENT }),
    ]);
  }

  /** Where the provider's changes are read from: what it said, and what was asked for by it. */
  async function plantSyncStates({ accountId, calendarId }: { accountId: string; calendarId: string }): Promise<void> {
    const events = `/v1/events/${accountId}/${calendarId}`;
    // Microsoft tells changes of windows, Google those of whole calendars.
    const bounds = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z' };
    const query = subject === MICROSOFT ? bounds : {};
    let { nextSyncToken: syncToken } = (await provided.service.call('GET', events, { query })).body;
    // Microsoft's token begins with the first sync.
    for (let syncs = 0; syncs < 2; syncs += 1) {
      const response = await provided.service.call('GET', events, { query: { syncToken } });
      expect(response.status).toBe(200);
      syncToken = response.body.nextSyncToken;
    }
    const queries = (await half.requests({ kind: 'api' })).map((request) => new URLSearchParams(request.query));
    const states = queries.flatMap((sent) =>
      ['syncToken', '$deltatoken', '$skiptoken'].flatMap((name) => sent.getAll(name)),
    );
    expect(states.length).toBeGreaterThan(0);
    for (const [index, state] of states.entries()) plant(`request ${index}`, { syncState: state });
  }

  /** One sign-in, to its end or to the page that says why not. */
  async function signIn(name: string, email: string): Promise<void> {
    const { service, sandbox } = provided;
    const browser = new Browser();
    const query = new URLSearchParams({ state: CONTENT.callerState, loginHint: email }).toString();
    const away = await browser.visit(
      `${service.baseUrl}/api/v1/oauth/authorize/${service.applicationId}/${subject.provider}?${query}`,
    );
    const asked = new URL(away.location ?? '').searchParams;
    const back = (await new Visitor(subject.origin(sandbox)).signIn(away.location ?? '', email)).url;
    expect(back.pathname).toBe(`/api/v1/oauth/callback/${subject.provider}`);
    plant(`sign-in ${name}`, {
      code: back.searchParams.get('code'),
      state: asked.get('state'),
      nonce: asked.get('nonce'),
      codeChallenge: asked.get('code_challenge'),
      cookie: [...browser.cookies.values()][0],
    });
    const home = await browser.visit(back);
    errorPages.push(home.text, (home.location ?? '').replace(CONTENT.callerState, ''));
    const replayed = await browser.visit(back);
    errorPages.push(replayed.text, replayed.location ?? '');
  }

  beforeAll(async () => {
    provided = await subject.start({
      LOG_LEVEL: 'trace',
      RATE_LIMIT_RPS: '100000',
      REQUEST_TIMEOUT_MS: '8000',
      [`${subject.providerType}_CLIENT_ID`]: 'shared-client',
      [`${subject.providerType}_CLIENT_SECRET`]: SECRETS['sharedClientSecret'],
    });
    const { service } = provided;
    half = subject.half(provided.sandbox);
    SECRETS['service client secret'] = subject.client.clientSecret;
    await service.ops('redirect-url', 'add', '--application', service.applicationId, '--url', HOME);
    const { DATABASE_URL, ...env } = service.env;
    worker = await runWorker(DATABASE_URL ?? '', { ...env, EXPIRY_PROBE_INTERVAL: '5' });
    await half.addUser({ email: ADA });
    // The very first requests prepare a lot: on a busy machine longer than the limit.
    const ada = await connected(ADA).catch(() => connected(ADA));

    // What is refused before it goes anywhere, and by the provider.
    const upsert = { email: ADA, providerType: subject.providerType };
    const { rejectedRefreshToken, rejectedPassword, wrongClientSecret, ownClientSecret } = SECRETS;
    await call('POST', '/v1/endUserAccounts', { body: { ...upsert, refreshToken: rejectedRefreshToken } });
    await call('POST', '/v1/endUserAccounts', { body: { ...upsert, password: rejectedPassword } });
    await call('POST', '/v1/endUserAccounts', { body: { ...upsert, refreshToken: { a: rejectedRefreshToken } } });
    const callback = `${service.baseUrl}/api/v1/oauth/callback/${subject.provider}?state=x&code=${SECRETS['rejectedCode']}`;
    const visited = await new Browser().visit(callback, {
      cookie: `uc_oauth=${SECRETS['cookie']}`,
      authorization: `Bearer ${SECRETS['bearer']}`,
    });
    errorPages.push(visited.text);

    // A client of another application: wrong, then right.
    const second = await service.createApplication('second');
    for (const clientSecret of [wrongClientSecret ?? '', ownClientSecret ?? '']) {
      await half.addClient({ clientId: OWN_CLIENT_ID, clientSecret: ownClientSecret ?? '', redirectUris: [] });
      await service.ops(
        ...['oauth-client', 'set', '--application', second.applicationId, '--provider', subject.provider],
        ...['--client-id', OWN_CLIENT_ID, '--client-secret', clientSecret],
      );
      const { refreshToken } = await half.grant(ADA, OWN_CLIENT_ID);
      plant(`own client ${clientSecret.slice(0, 12)}`, { refreshToken });
      await call('POST', '/v1/endUserAccounts', { key: second.apiKey, body: { ...upsert, refreshToken } });
    }

    await plantSyncStates(ada);
    await useApi(ada);
    for (const action of API_FAULTS) {
      await half.fault({ kind: 'api' }, action);
      await useApi(ada);
      await half.clearFaults();
      await eventually('the provider is believed to be back', async () =>
        (await call('GET', `/v1/calendars/${ada.accountId}`)).status === 200 ? true : undefined,
      );
    }

    const rejected = await connected('refused@example.com');
    await half.fault({ kind: 'api' }, apiStatus(401));
    await useApi(rejected);
    await half.clearFaults();

    const accounts: { email: string; accountId: string }[] = [];
    for (const index of TOKEN_FAULTS.keys()) {
      const email = `person-${index}@example.com`;
      accounts.push({ email, accountId: (await connected(email)).accountId });
    }
    for (const [index, action] of TOKEN_FAULTS.entries()) {
      const { email, accountId } = accounts[index]!;
      await age(accountId);
      await half.expireAccessTokens(email);
      await half.fault({ kind: 'token' }, action);
      await call('GET', `/v1/calendars/${accountId}`);
      await signIn(`${index} ${action.type}`, email);
      await half.clearFaults();
    }
    // Google accounts are checked at OpenID's userinfo.
    if (subject === MICROSOFT) await half.fault({ kind: 'api' }, apiStatus(503));
    else await half.fault({ kind: 'userinfo' }, status(503, 'unavailable'));
    await eventually('the worker has met a failure', () =>
      worker.stdout().includes('credential check failed') ? true : undefined,
    );
    await half.clearFaults();
    await eventually('one is found to be dead', async () => {
      const { rows } = await admin("select 1 from end_user_account where status = 'EXPIRED'");
      return rows.length > 0 ? true : undefined;
    });

    // In full, and again with a fault of our own while the tokens are in hand.
    await signIn('good', ADA);
    await plantCredentials(ada.accountId, 'signed in');
    await admin('alter table end_user_account rename to mislaid');
    await signIn('ours', ADA).catch(() => undefined);
    await call('GET', `/v1/calendars/${ada.accountId}`);
    await admin('alter table mislaid rename to end_user_account');

    // One sign-in stays under way; one revocation, where there are any, stays undone.
    await new Browser().visit(`${service.baseUrl}/api/v1/oauth/authorize/${service.applicationId}/${subject.provider}`);
    await half.fault({ kind: 'revoke' }, status(503, 'unavailable'));
    await call('DELETE', `/v1/endUserAccounts/${ada.accountId}`);
    if (subject === MICROSOFT) return;
    await eventually('the revocation has failed', () =>
      service.program.stdout().includes('grant revocation pending') ? true : undefined,
    );
  });

  afterAll(async () => {
    await worker?.stop();
    await provided?.stop();
  });

  describe(`N55 T11 the secrets of ${subject.providerType} accounts`, () => {
    it('were in play: at least 40 of them, with every kind of answer', () => {
      expect(Object.keys(SECRETS).length).toBeGreaterThanOrEqual(40);
      expect(new Set(Object.values(SECRETS)).size).toBeGreaterThanOrEqual(40);
      const statuses = [...new Set(responses.map((response) => response.status))];
      expect(statuses).toEqual(expect.arrayContaining([200, 400, 403, 404, 409, 429, 500, 502, 504]));
      expect(errorPages.join()).toContain('error=provider_error');
      expect(errorPages.join()).toContain('endUserAccountId=');
    });

    it.each(['api', 'worker'])('are in no line of the log of the %s, at its most talkative', (which) => {
      const { stdout, stderr } = which === 'api' ? provided.service.program : worker;
      const log = stdout() + stderr();
      expect(log).toContain('"level":"warn"');
      expectNowhere(log, { ...SECRETS, ...CONTENT, ...PROVIDER });
      const { ENCRYPTION_KEYS = '', DATABASE_URL = '' } = provided.service.env;
      expectNowhere(log, { encryptionKey: ENCRYPTION_KEYS.split(':')[1] ?? '' });
      expect(log).not.toContain(new URL(DATABASE_URL).password);
    });

    it('are in no answer and on no page but where they belong', () => {
      const heard = responses.map(({ headers, body }) => JSON.stringify([[...headers], body])).join('\n');
      const { title, description, attendee, ...ignoredNotifyOption } = CONTENT;
      expect([title, description, attendee].map((own) => heard.includes(own))).toEqual([true, true, true]);
      expectNowhere(heard, { ...SECRETS, ...ignoredNotifyOption, ...PROVIDER });
      expectNowhere(errorPages.join('\n'), { ...SECRETS, ...CONTENT, ...PROVIDER });
    });

    it('are in no row of the database in clear, the queues included', async () => {
      const rows = await dump(provided.service.adminDatabaseUrl);
      const revocations = subject === MICROSOFT ? [] : ['grant_revocation'];
      for (const table of ['credential', 'oauth_client', 'authorization_request', 'outbox', ...revocations]) {
        expect(rows).toContain(`public.${table} `);
      }
      expect(rows).toMatch(/^bullmq\./m);
      expectNowhere(rows, { ...SECRETS, ...CONTENT, ...PROVIDER });
    });
  });
}
