import { PRIMARY } from '#domain/calendars';
import { AccountClient, type AccountClientDeps, isSendable, type Try, type RetrySafety } from '#providers/kit/calls';
import { recordOf } from '#providers/kit/events';
import { PageSize } from '#providers/kit/sync';
import { outlookCalendar, type OutlookCalendar } from './calendar-entry.js';
import { GraphApiError, hasNoMailbox, malformedResponse } from './errors.js';
import { EXPAND_OWN } from './events/own-properties.js';
import type { WholeReads } from './events/whole-reads.js';
import { type GraphBatchResponse, GraphBatch } from './graph-batch.js';
import type { GraphLinks } from './graph-links.js';
import {
  type GraphCall,
  GraphTry,
  headersOf,
  requestOf,
  type GraphRequest,
  type GraphTransport,
} from './graph-transport.js';
import { MAILBOX_SETTINGS, type MailboxZones } from './mailbox-zones.js';

/**
 * Concurrent requests of one mailbox over all processes. Graph serves four to all clients together:
 * https://learn.microsoft.com/graph/throttling-limits#outlook-service-limits
 */
export const REQUESTS_AT_ONCE = 3;

export interface GraphClientDeps extends AccountClientDeps<OutlookCalendar> {
  /** Root of Graph v1.0, without a slash at its end. */
  root: string;
  transport: GraphTransport;
  links: GraphLinks;
  zones: MailboxZones;
  wholeReads: WholeReads;
}

/** Only lists of events have more pages. */
const MAX_PAGES = 20;
/** Graph's maximum for events. */
export const MAX_GRAPH_PAGE = 1_000;

export class GraphAccountClient extends AccountClient<OutlookCalendar, GraphClientDeps> {
  /** Of lists of events. */
  readonly pageSize = new PageSize(MAX_GRAPH_PAGE);

  get wholeReads(): WholeReads {
    return this.deps.wholeReads;
  }

  /**
   * Runs one call under budget, slots, deadline and retries.
   * @param onTry runs before each try
   * @returns the parsed body; null when it is empty
   * @throws GraphApiError, DomainError
   */
  call(repeat: RetrySafety, call: GraphCall, onTry?: () => void): Promise<unknown> {
    return this.send(repeat, requestOf(call), onTry);
  }

  /** Reads the page behind a link of Graph. @param state result of {@link stateOf} */
  follow(state: string, headers?: GraphCall['headers']): Promise<unknown> {
    const { path, query } = this.deps.links.target(state);
    return this.send('read', { method: 'GET', path, query, headers: headersOf(headers) });
  }

  /** Returns path and query of a link. @throws DomainError for a foreign origin */
  stateOf(link: string): string {
    return this.deps.links.stateOf(link);
  }

  /** Reads 20 calls per round trip, in order. @throws as {@link call}, also for a part that fails after repeats */
  async batch(calls: readonly GraphCall[]): Promise<GraphBatchResponse[]> {
    const { nowMs } = this.deps;
    const batch = new GraphBatch(calls.map(requestOf), { secret: this.accessToken, nowMs });
    while (batch.nextParts > 0) {
      const send = async (attempt: Try) => batch.take(await this.try(batch.next(), attempt));
      await this.run('read', send, () => batch.nextParts);
    }
    return batch.responses();
  }

  /** Returns all rows of a list. @throws DomainError ProviderUnavailable for a list without an end */
  async rows(call: GraphCall): Promise<unknown[]> {
    const rows: unknown[] = [];
    let page = recordOf(await this.call('read', call));
    for (let pages = 1; ; pages += 1) {
      if (!Array.isArray(page['value'])) throw malformedResponse();
      rows.push(...(page['value'] as unknown[]));
      const next = page['@odata.nextLink'] ?? null;
      if (next === null) return rows;
      // The list continues. An end here would lose rows.
      if (typeof next !== 'string' || pages >= MAX_PAGES) throw malformedResponse();
      page = recordOf(await this.follow(this.stateOf(next)));
    }
  }

  /** Returns the IANA id; `UTC` when the mailbox has none. */
  mailboxTimeZone(): Promise<string> {
    return this.deps.zones.find(this.session, (call) => this.call('read', call));
  }

  /** Reads an unknown calendar and the unknown zone of its mailbox in one request. What fails is read again on use. */
  async prefetch(calendarId: string): Promise<void> {
    const { zones } = this.deps;
    if (!isSendable(calendarId) || this.cachedCalendar(calendarId) !== undefined || zones.has(this.session)) return;
    const [calendar, settings] = await this.batch([calendarCall(calendarId), MAILBOX_SETTINGS]);
    if (calendar?.status === 200) this.rememberCalendar(outlookCalendar(calendar.body), calendarId);
    if (settings?.status === 200) zones.remember(this.session, settings.body);
  }

  protected override async readCalendar(calendarId: string): Promise<OutlookCalendar | null> {
    try {
      return outlookCalendar(await this.call('read', calendarCall(calendarId)));
    } catch (error) {
      if (error instanceof GraphApiError && error.isGone && !hasNoMailbox(error)) return null;
      throw error;
    }
  }

  private send(repeat: RetrySafety, request: GraphRequest, onTry?: () => void): Promise<unknown> {
    return this.run(repeat, (attempt) => {
      onTry?.();
      return this.try(request, attempt);
    });
  }

  private try(request: GraphRequest, attempt: Try): Promise<unknown> {
    const { accountId, signal } = this.session;
    attempt.isConditional = request.headers['if-match'] !== undefined;
    return this.deps.transport.send(request, new GraphTry(this.accessToken, accountId, signal, attempt.timeoutMs));
  }
}

function calendarCall(calendarId: string): GraphCall {
  return { method: 'GET', path: calendarPath(calendarId), query: { $expand: EXPAND_OWN } };
}

export function calendarPath(calendarId: string): string {
  return calendarId === PRIMARY ? '/me/calendar' : `/me/calendars/${encodeURIComponent(calendarId)}`;
}
