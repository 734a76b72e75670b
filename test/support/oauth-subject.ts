import { startGoogleService, TEST_CLIENT } from './google-service.js';
import { microsoftAccounts, TEST_MICROSOFT_CLIENT } from './microsoft-service.js';
import type { OAuthAccounts } from './oauth-accounts.js';
import { asAdmin } from './postgres.js';
import { eventually } from './processes.js';
import type { GrantedTokens, Sandbox } from './sandbox.js';
import type { SandboxedSettings } from './sandboxed-service.js';
import type { Answer, Service } from './service.js';

/** The providers that users sign in to by redirect. */
export const OAUTH_PROVIDERS = ['GOOGLE', 'MICROSOFT'] as const;
export type OAuthProviderType = (typeof OAUTH_PROVIDERS)[number];

const EVENTS = 'me_calendars_By_calendar_id_events';

/** What is called differently from one provider to the next. */
export const WORDS = {
  GOOGLE: {
    ...TEST_CLIENT,
    /** Of its users. */
    domain: 'example.test',
    rateLimited: 'rateLimitExceeded',
    /** Status of the answer to a new event. */
    created: 200,
    tokenPath: '/token',
    /** Reads the primary calendar, with an access token. */
    primaryPath: '/calendar/v3/users/me/calendarList/primary',
    methods: {
      listCalendars: 'calendar.calendarList.list',
      getCalendar: 'calendar.calendarList.get',
      insertCalendar: 'calendar.calendars.insert',
      listEvents: 'calendar.events.list',
      readWindow: 'calendar.events.list',
      getEvent: 'calendar.events.get',
      insertEvent: 'calendar.events.insert',
      patchEvent: 'calendar.events.patch',
      deleteEvent: 'calendar.events.delete',
      accept: 'calendar.events.patch',
    },
    list: { items: 'items', next: 'nextPageToken' },
  },
  MICROSOFT: {
    ...TEST_MICROSOFT_CLIENT,
    domain: 'contoso.example',
    rateLimited: 'ApplicationThrottled',
    created: 201,
    tokenPath: '/common/oauth2/v2.0/token',
    primaryPath: '/v1.0/me/calendar',
    methods: {
      listCalendars: 'list_me_calendars',
      getCalendar: 'get_me_calendars_By_calendar_id',
      insertCalendar: 'create_me_calendars',
      listEvents: `list_${EVENTS}`,
      readWindow: 'list_me_calendars_By_calendar_id_calendarView',
      getEvent: `get_${EVENTS}_By_event_id`,
      insertEvent: `create_${EVENTS}`,
      patchEvent: `update_${EVENTS}_By_event_id`,
      deleteEvent: `delete_${EVENTS}_By_event_id`,
      accept: `accept_${EVENTS}_By_event_id`,
    },
    list: { items: 'value', next: '@odata.nextLink' },
  },
} as const;

/** What both halves of the sandbox can be told and asked. */
type SandboxHalf = Pick<
  Sandbox,
  'act' | 'clearFaults' | 'clearRequests' | 'expireAccessTokens' | 'fault' | 'faults' | 'requests' | 'revoke'
> & { addUser(user: { email: string }): Promise<unknown> };

/** One provider in a test that is the same for all of them: its accounts, and its half of the sandbox. */
export class OAuthSubject {
  readonly service: Service;
  readonly connected: OAuthAccounts['connected'];
  private people = 0;

  constructor(
    readonly providerType: OAuthProviderType,
    readonly half: SandboxHalf,
    /** Origin of the provider. */
    readonly url: string,
    { service, connected }: OAuthAccounts,
  ) {
    this.service = service;
    this.connected = connected;
  }

  get words() {
    return WORDS[this.providerType];
  }

  /** The email of somebody whom no other test knows. */
  someone(): string {
    this.people += 1;
    return `person-${this.people}@${this.words.domain}`;
  }

  calendars(accountId: string): Promise<Answer> {
    return this.service.call('GET', `/v1/calendars/${accountId}`);
  }

  credentials(accountId: string): Promise<Answer> {
    return this.service.call('GET', `/v1/endUserAccounts/${accountId}/credentials`);
  }

  async status(accountId: string): Promise<string> {
    const { status, body } = await this.service.call('GET', `/v1/endUserAccounts/${accountId}`);
    if (status !== 200) throw new Error(`cannot read ${accountId}: ${status} ${JSON.stringify(body)}`);
    return body.status;
  }

  /** Calls of the API, of one user or of all. */
  async apiCalls(email?: string): Promise<number> {
    const requests = await this.half.requests({ kind: 'api' });
    return requests.filter(({ user }) => email === undefined || user === email).length;
  }

  async tokenCalls(): Promise<number> {
    return (await this.half.requests({ kind: 'token' })).length;
  }

  admin(text: string, values: unknown[] = []): Promise<any[]> {
    return asAdmin(this.service.adminDatabaseUrl, async (client) => (await client.query(text, values)).rows);
  }

  /** Kinds, statuses and reasons that the application was told of an account, the oldest one first. */
  async publishedFor(accountId: string): Promise<[type: string, status: string, reason: string | null][]> {
    const rows = await this.admin(
      "select payload from outbox where payload->>'endUserAccountId' = $1 order by created_at",
      [accountId],
    );
    return rows.map(({ payload }) => [payload.eventType, payload.status, payload.reason ?? null]);
  }

  /** Reasons for which the application was told that an account is EXPIRED. */
  async notifiedExpired(accountId: string): Promise<(string | null)[]> {
    return (await this.publishedFor(accountId)).flatMap(([, status, reason]) => (status === 'EXPIRED' ? [reason] : []));
  }

  /** So much time passes, as far as the account's credentials tell: young tokens are not refreshed for a refusal. */
  async pass(accountId: string, time = '2 minutes'): Promise<void> {
    await this.admin(
      `update credential set updated_at = updated_at - interval '${time}' where end_user_account_id = $1`,
      [accountId],
    );
  }

  /** An account whose access token has died before its time. */
  async withDeadToken(): Promise<{ accountId: string; email: string }> {
    const email = this.someone();
    const { accountId } = await this.connected(email);
    await this.half.expireAccessTokens(email);
    await this.pass(accountId);
    return { accountId, email };
  }

  /** An account whose access token has to be refreshed before its next use. */
  async withOldToken(): Promise<{ accountId: string; email: string }> {
    const email = this.someone();
    const { accountId, grant } = await this.connected(email);
    const { status, body } = await this.refresh(grant.refreshToken);
    if (status !== 200) throw new Error(`cannot refresh: ${JSON.stringify(body)}`);
    const short = { ...body, expires_in: 1 };
    await this.half.fault({ kind: 'token', email }, { type: 'replace', body: short }, { times: 1 });
    const again = await this.service.call('POST', '/v1/endUserAccounts', {
      body: { email, providerType: this.providerType, refreshToken: grant.refreshToken },
    });
    if (again.body.id !== accountId) throw new Error(`cannot connect ${email}: ${JSON.stringify(again.body)}`);
    return { accountId, email };
  }

  /** A refresh as whoever brought the refresh token along can do it. */
  async refresh(refreshToken: string): Promise<{ status: number; body: any }> {
    const { clientId, clientSecret, tokenPath } = this.words;
    const response = await fetch(this.url + tokenPath, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: clientId,
        client_secret: clientSecret,
      }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Whether the user still lets the client in. */
  async isGrantAlive({ refreshToken }: GrantedTokens): Promise<boolean> {
    return (await this.refresh(refreshToken)).status === 200;
  }

  async grantIsGone(grant: GrantedTokens): Promise<void> {
    await eventually('the grant is gone', async () => ((await this.isGrantAlive(grant)) ? undefined : true));
  }
}

/** Every provider, in one service on one sandbox. */
export type OAuthFixture = Readonly<Record<OAuthProviderType, OAuthSubject>> & {
  service: Service;
  sandbox: Sandbox;
  /** The same with each provider, at the same time. @throws Error that names the provider */
  everywhere(work: (subject: OAuthSubject) => Promise<unknown>): Promise<void>;
  /** What each was told to do wrong is over, and none has seen what no correct client sends. */
  calm(): Promise<void>;
  stop(): Promise<void>;
};

/** @param settings environment of a service of its own, on top of what it needs; none: the one that suites share */
export async function startOAuthFixture(settings?: SandboxedSettings): Promise<OAuthFixture> {
  const google = await startGoogleService(settings);
  const { sandbox, service, stop } = google;
  try {
    const microsoft = await microsoftAccounts(sandbox, service);
    const subjects = {
      GOOGLE: new OAuthSubject('GOOGLE', sandbox, sandbox.googleUrl, google),
      MICROSOFT: new OAuthSubject('MICROSOFT', sandbox.microsoft, sandbox.microsoftUrl, microsoft),
    };
    const everywhere = async (work: (subject: OAuthSubject) => Promise<unknown>): Promise<void> => {
      const ended = await Promise.allSettled(Object.values(subjects).map((subject) => work(subject)));
      for (const [index, outcome] of ended.entries()) {
        if (outcome.status === 'rejected') {
          throw new Error(`with ${Object.keys(subjects)[index]}`, { cause: outcome.reason });
        }
      }
    };
    return {
      ...subjects,
      ...{ sandbox, service, stop, everywhere },
      async calm() {
        await everywhere(({ half }) => half.clearFaults());
        await sandbox.expectNoViolations();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
