import { isDeepStrictEqual } from 'node:util';
import type { EventItem } from '#domain/events';
import type { EventQuery, Page } from '#domain/providers';
import { DomainError, invalid, type JsonValue } from '#domain/system';
import type { SealedTokens } from '../tokens/sealed-tokens.js';
import { readParameters, type EventQueryParameters, type readEventQuery } from './event-query.js';

export interface EventReadScope {
  applicationId: string;
  accountId: string;
  calendarId: string;
  /** Series of an occurrences read. null for a list. */
  eventId: string | null;
}

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

type PagingParameter = 'syncToken' | 'pageToken' | 'pageSize' | 'timeZone';
type Filter = Exclude<keyof EventQueryParameters, PagingParameter>;

export class EventTokens {
  constructor(private readonly tokens: SealedTokens) {}

  /** @param readQuery builds the query of a first read @throws DomainError ValidationFailed, PageTokenInvalid */
  read(
    scope: EventReadScope,
    parameters: EventQueryParameters,
    requestedZone: string | null,
    readQuery: typeof readEventQuery,
  ): EventRead {
    const sync = parameters.syncToken === undefined ? null : this.open(scope, 'sync', parameters.syncToken);
    if (sync !== null) checkAlong(scope, parameters, sync.query, requestedZone);
    if (parameters.pageToken === undefined) {
      return sync === null
        ? { query: readQuery(parameters, requestedZone), page: null, sync: null }
        : { query: sync.query, page: null, sync: sync.sync };
    }
    const page = this.open(scope, 'page', parameters.pageToken);
    if (sync !== null && !isDeepStrictEqual(sync.sync, page.sync)) throw foreignPage();
    if (changedFilter(parameters, page.query, requestedZone) !== null) throw foreignPage();
    return { query: page.query, page: page.page, sync: page.sync };
  }

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

/** Rejects filters beside a sync token. Occurrences always have bounds, which must equal those of the token. */
function checkAlong(
  { eventId }: EventReadScope,
  parameters: EventQueryParameters,
  query: EventQuery,
  requestedZone: string | null,
): void {
  if (eventId === null) {
    const surplus = filtersOf(query).find((name) => parameters[name] !== undefined);
    if (surplus !== undefined) throw invalid(surplus, 'cannot be given together with syncToken');
    return;
  }
  const changed = changedFilter(parameters, query, requestedZone);
  if (changed !== null) throw invalid(changed, 'must be as in the read that the syncToken came from');
}

/** Returns the first given filter that differs from the query. Omitted filters come from the query. */
function changedFilter(
  parameters: EventQueryParameters,
  query: EventQuery,
  requestedZone: string | null,
): Filter | null {
  const said = byFilter(readParameters(parameters, requestedZone));
  const known = byFilter(query);
  return (
    filtersOf(query).find((name) => parameters[name] !== undefined && !isDeepStrictEqual(said[name], known[name])) ??
    null
  );
}

function filtersOf(query: EventQuery): Filter[] {
  return Object.keys(byFilter(query)) as Filter[];
}

function byFilter({ window, updatedAfterMs, ...query }: EventQuery): Record<Filter, unknown> {
  return { startDateTime: window.startMs, endDateTime: window.endMs, updatedAfter: updatedAfterMs, ...query };
}

function foreignPage(): DomainError {
  return new DomainError('PageTokenInvalid', 'The page token belongs to a read with other parameters.');
}
