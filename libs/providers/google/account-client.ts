import { AsyncLocalStorage } from 'node:async_hooks';
import { calendar_v3 } from '@googleapis/calendar';
import type { AccountSession } from '#domain/providers';
import type { Egress } from '#egress';
import {
  AccountClient,
  type AccountClientDeps,
  type Admission,
  type Try,
  orNull,
  readJsonObject,
  type RetrySafety,
} from '#providers/kit/calls';
import { PageSize } from '#providers/kit/sync';
import { listEntry, type CalendarListEntry } from './calendar-entry.js';
import type { GoogleEndpoints } from './authorization-server.js';
import { readApiError } from './errors.js';
import type { EventPalette, EventPalettes } from './events/event-colors.js';

/** Fits a page of 2,500 long events. */
const MAX_RESPONSE_BYTES = 20 * 1024 * 1024;
const MAX_USER_INFO_BYTES = 64 * 1024;
/** Google compresses only with `gzip` here: https://developers.google.com/workspace/calendar/api/guides/performance */
const USER_AGENT = 'unified-calendar (gzip)';
/** Root of the official client. Its option `rootUrl` would drop the path of another root. */
const CLIENT_ROOT = 'https://www.googleapis.com/calendar/v3/';
const CONDITIONS = ['if-match', 'if-none-match'] as const;

/** Replaces the transport of the client's HTTP library: https://github.com/googleapis/gaxios#request-options */
type Adapter = NonNullable<calendar_v3.Options['adapter']>;

/** The try that a request belongs to. The client cannot pass it on. */
const attempts = new AsyncLocalStorage<Try>();

export interface GoogleClientDeps extends AccountClientDeps<CalendarListEntry> {
  egress: Egress;
  endpoints: GoogleEndpoints;
  palettes: EventPalettes;
}

/** Google's maximum (events.list, events.instances: maxResults). */
export const MAX_GOOGLE_PAGE = 2_500;

export class GoogleAccountClient extends AccountClient<CalendarListEntry, GoogleClientDeps> {
  /** Of lists of events. */
  readonly pageSize = new PageSize(MAX_GOOGLE_PAGE);
  /** The official client over the guarded egress. Works inside {@link call} only. */
  readonly api: calendar_v3.Calendar;

  constructor(deps: GoogleClientDeps, session: AccountSession, admission: Admission) {
    super(deps, session, admission);
    const adapter: Adapter = async (request) => {
      const { status, data } = await this.exchange(request);
      return Object.assign(new Response(null, { status }), { config: request, data: data as never });
    };
    this.api = new calendar_v3.Calendar({
      adapter,
      retry: false,
      // Otherwise the environment could name another host and a proxy.
      universeDomain: 'googleapis.com',
      noProxy: [/^/],
    });
  }

  /** Runs one call under budget, deadline and retries. @param send may run again @throws GoogleApiError, DomainError */
  async call<T>(repeat: RetrySafety, send: () => Promise<{ data: T }>): Promise<T> {
    const { data } = await this.run(repeat, (attempt) =>
      attempts.run(attempt, send).catch((error: unknown) => {
        // The client's HTTP library wraps errors of its adapter in an error that holds the request.
        throw error instanceof Error ? (error.cause ?? error) : error;
      }),
    );
    return data;
  }

  /**
   * Shows the access token to OpenID's userinfo, which costs no Calendar quota. Returns false when Google does not know
   * it: for a dead grant, a dead token and a grant without `openid`.
   * @throws GoogleApiError 429, 5xx
   */
  async isKnownToUserInfo(): Promise<boolean> {
    const { policy, egress, endpoints, nowMs } = this.deps;
    const { signal, accountId, observer } = this.session;
    const send = async ({ timeoutMs }: Try) => {
      const response = await egress.request({
        method: 'GET',
        url: endpoints.userInfo,
        trust: 'configured',
        headers: { authorization: `Bearer ${this.accessToken}`, accept: 'application/json', 'user-agent': USER_AGENT },
        timeoutMs,
        maxBytes: MAX_USER_INFO_BYTES,
        signal,
        poolKey: accountId,
      });
      const { status } = response;
      if (status === 429 || status >= 500) throw readApiError(response, { nowMs: nowMs(), secret: this.accessToken });
      return status === 200;
    };
    const isKnown = await policy.run({ repeat: 'read', signal, admit: (attempt) => attempt(), send });
    if (isKnown) observer?.accepted();
    return isKnown;
  }

  /** @throws GoogleApiError */
  eventPalette(): Promise<EventPalette> {
    return this.deps.palettes.find(() => this.call('read', () => this.api.colors.get({})));
  }

  protected override async readCalendar(calendarId: string): Promise<CalendarListEntry | null> {
    const entry = await orNull(this.call('read', () => this.api.calendarList.get({ calendarId })));
    return entry === null ? null : listEntry(entry);
  }

  /** Sends a request with our own headers. The client's describe this process. @throws GoogleApiError, EgressError */
  private async exchange(request: Parameters<Adapter>[0]): Promise<{ status: number; data: unknown }> {
    const { url, method = 'GET', headers, body } = request;
    const { egress, endpoints, nowMs } = this.deps;
    const attempt = attempts.getStore();
    if (attempt === undefined) throw new TypeError('The client is called outside of GoogleAccountClient.call');
    if (!url.href.startsWith(CLIENT_ROOT)) throw new TypeError('The client calls something else than the Calendar API');
    const sent: Record<string, string> = {
      authorization: `Bearer ${this.accessToken}`,
      accept: 'application/json',
      'user-agent': USER_AGENT,
    };
    for (const name of CONDITIONS) {
      const condition = headers.get(name);
      if (condition === null) continue;
      sent[name] = condition;
      attempt.isConditional = true;
    }
    if (typeof body === 'string') sent['content-type'] = 'application/json';
    const response = await egress.request({
      method,
      url: endpoints.calendar + url.href.slice(CLIENT_ROOT.length),
      trust: 'configured',
      headers: sent,
      ...(typeof body === 'string' && { body }),
      timeoutMs: attempt.timeoutMs,
      maxBytes: MAX_RESPONSE_BYTES,
      signal: this.session.signal,
      poolKey: this.session.accountId,
    });
    // Google counts a PATCH as three requests of the quota.
    if (method === 'PATCH') this.session.observer?.sent(2);
    const { status } = response;
    if (status < 200 || status > 299) throw readApiError(response, { nowMs: nowMs(), secret: this.accessToken });
    const mayBeEmpty = method === 'DELETE' || (url.pathname.endsWith('/channels/stop') && status === 204);
    const isEmpty = mayBeEmpty && response.body.length === 0;
    return { status, data: isEmpty ? undefined : await readJsonObject(response.body) };
  }
}
