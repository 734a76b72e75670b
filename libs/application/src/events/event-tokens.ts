import { isDeepStrictEqual } from 'node:util';
import { DomainError, invalid, type EventItem, type EventQuery, type JsonValue, type Page } from '#domain';
import type { SealedTokens } from '../tokens/sealed-tokens.js';
import { formatInstant } from './iso-time.js';
import { readEventQuery, type EventQueryParameters } from './event-query.js';

/** What the tokens of one kind of event read are bound to. */
export interface EventReadScope {
  applicationId: string;
  accountId: string;
  calendarId: string;
  /** The series for an occurrences read; null for a list. */
  eventId: string | null;
}

/** A read to be done: from the start, from a page on, or from a sync point on. */
export interface EventRead {
  query: EventQuery;
  page: JsonValue | null;
  sync: JsonValue | null;
}

interface TokenContent {
  kind: 'page' | 'sync';
  query: EventQuery;
  page: JsonValue | null;
  sync: JsonValue | null;
}

/** Parameters that may come along with a sync token; everything else is fixed by the read that it came from. */
const ALONG_WITH_SYNC_TOKEN: ReadonlySet<string> = new Set(['syncToken', 'pageToken', 'pageSize', 'timeZone']);

/** Turns tokens into the read they stand for, and the end of a page into tokens. */
export class EventTokens {
  constructor(private readonly tokens: SealedTokens) {}

  /**
   * `readQuery` makes the query of a fresh read from the parameters.
   * @throws DomainError ValidationFailed, PageTokenInvalid
   */
  read(
    scope: EventReadScope,
    parameters: EventQueryParameters,
    requestedZone: string | null,
    readQuery: typeof readEventQuery,
  ): EventRead {
    const sync = parameters.syncToken === undefined ? null : this.open(scope, 'sync', parameters.syncToken);
    if (sync !== null) {
      const surplus = given(parameters).find((name) => !ALONG_WITH_SYNC_TOKEN.has(name));
      if (surplus !== undefined) throw invalid(surplus, 'cannot be given together with syncToken');
    }
    if (parameters.pageToken === undefined) {
      return sync === null
        ? { query: readQuery(parameters, requestedZone), page: null, sync: null }
        : { query: sync.query, page: null, sync: sync.sync };
    }
    const page = this.open(scope, 'page', parameters.pageToken);
    if (sync !== null && !isDeepStrictEqual(sync.sync, page.sync)) throw foreignPage();
    if (sync === null) this.checkSameQuery(parameters, page, requestedZone);
    return { query: page.query, page: page.page, sync: page.sync };
  }

  /** Tokens for what follows a page; at most one of them is there. */
  after(
    scope: EventReadScope,
    read: EventRead,
    page: Page<EventItem>,
  ): { nextPageToken?: string; nextSyncToken?: string } {
    if (page.nextPage !== null) {
      return { nextPageToken: this.seal(scope, { kind: 'page', ...read, page: page.nextPage }) };
    }
    if (page.nextSync === null) return {};
    return { nextSyncToken: this.seal(scope, { kind: 'sync', query: read.query, page: null, sync: page.nextSync }) };
  }

  /** Parameters repeated with a page token must say the same as the read it came from; those left out are known from it. */
  private checkSameQuery(parameters: EventQueryParameters, page: TokenContent, requestedZone: string | null): void {
    const repeated = Object.fromEntries(
      Object.entries(parameters).filter(([name, value]) => value !== undefined && !ALONG_WITH_SYNC_TOKEN.has(name)),
    );
    if (Object.keys(repeated).length === 0) return;
    const again = readEventQuery({ ...parametersOf(page.query), ...repeated }, requestedZone);
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(again)), page.query)) throw foreignPage();
  }

  private open(scope: EventReadScope, kind: TokenContent['kind'], token: string): TokenContent {
    return this.tokens.open(binding(scope, kind), token) as unknown as TokenContent;
  }

  private seal(scope: EventReadScope, content: TokenContent): string {
    return this.tokens.seal(binding(scope, content.kind), content as unknown as JsonValue);
  }
}

function binding(scope: EventReadScope, kind: TokenContent['kind']): string[] {
  return ['events', kind, scope.applicationId, scope.accountId, scope.calendarId, scope.eventId ?? ''];
}

/** Parameters that say what a query says. */
function parametersOf({ window, metadataFilters, ...query }: EventQuery): EventQueryParameters {
  const instant = (ms: number | null) => (ms === null ? undefined : formatInstant(ms));
  const { any = {}, ...scoped } = metadataFilters ?? {};
  return {
    startDateTime: instant(window.startMs),
    endDateTime: instant(window.endMs),
    expandRecurrences: query.expandRecurrences,
    search: query.search ?? undefined,
    metadataFilters: metadataFilters === null ? undefined : JSON.stringify(Object.keys(any).length > 0 ? any : scoped),
    orderBy: query.orderBy ?? undefined,
    updatedAfter: instant(query.updatedAfterMs),
    isAllDay: query.isAllDay ?? undefined,
    isCancelled: query.isCancelled ?? undefined,
    iCalUid: query.iCalUid ?? undefined,
  };
}

function given(parameters: EventQueryParameters): string[] {
  return Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

function foreignPage(): DomainError {
  return new DomainError('PageTokenInvalid', 'The page token belongs to a read with other parameters.');
}
