import type { CalendarApiResponse, CalendarApiHost, CalendarApiRequest } from '../contract.js';
import { requireRole } from './access.js';
import { eventFilter } from './event-filter.js';
import {
  type ListedEvent,
  overlaps,
  selectChanges,
  selectEvents,
  untouchedInstances,
  type Selection,
} from './event-selection.js';
import { exceptionsOf } from './event-shelf.js';
import { instantOf } from './event-time.js';
import { compact, timestamp, viewEvent, viewGone, type Viewer } from './event-view.js';
import { etagOf } from './ids.js';
import type { CalendarRecord, EventRecord } from './model.js';
import { PageTokens } from './page-tokens.js';
import { isRecurring } from './recurrence.js';
import { invalid, notFound, notOffered } from './errors.js';
import {
  boundsOf,
  fingerprintOf,
  flagParameter,
  isUnchanged,
  listParameter,
  pageSizeOf,
  textParameter,
  timeZoneOf,
} from './request.js';
import { findEvent } from './stored-events.js';
import type { Store } from './store.js';
import type { SyncTokens, TokenScope } from './sync-tokens.js';

/** https://developers.google.com/workspace/calendar/api/v3/reference/events/list, `syncToken` */
const NOT_WITH_SYNC_TOKEN = [
  'iCalUID',
  'orderBy',
  'privateExtendedProperty',
  'sharedExtendedProperty',
  'timeMin',
  'timeMax',
];
/** A full list with one of these gets no sync token; time bounds are allowed there. */
const NOT_SYNCABLE = NOT_WITH_SYNC_TOKEN.filter((name) => name !== 'timeMin' && name !== 'timeMax');
const USUAL_PAGE = 250;
const MAX_PAGE_SIZE = 2_500;
/** Parameters that the service never uses. */
const NOT_OFFERED = ['q', 'updatedMin', 'maxAttendees', 'originalStart', 'showHiddenInvitations'];

export class EventReader {
  constructor(
    private readonly store: Store,
    private readonly host: CalendarApiHost,
    private readonly syncTokens: SyncTokens,
    private readonly pageTokens: PageTokens,
  ) {}

  get(request: CalendarApiRequest): CalendarApiResponse {
    const viewer = this.viewerOf(request);
    const record = findEvent(viewer.calendar, request.path.eventId!);
    if (record === null) throw notFound();
    if (isUnchanged(request, etagOf(record.revision))) return { status: 304, body: null };
    return { status: 200, body: viewEvent(record, viewer) };
  }

  list(request: CalendarApiRequest): CalendarApiResponse {
    const viewer = this.viewerOf(request);
    const { calendar } = viewer;
    const orderBy = textParameter(request, 'orderBy');
    const singleEvents = flagParameter(request, 'singleEvents') ?? false;
    if (orderBy === 'startTime' && !singleEvents) {
      throw invalid('The requested ordering is not available for the particular query.', 'orderBy');
    }
    const selection: Selection = {
      bounds: boundsOf(request),
      singleEvents,
      showDeleted: flagParameter(request, 'showDeleted') ?? false,
      filter: eventFilter(request, viewer.role),
      nowMs: this.host.nowMs(),
    };
    const scope = scopeOf(request, calendar);
    const sinceRevision = this.sinceRevision(request, scope);
    const page = this.pageTokens.page<ListedEvent>(
      textParameter(request, 'pageToken'),
      `${request.user.email} ${calendar.id} ${fingerprintOf(request, ['pageToken'])}`,
      pageSizeOf(request, USUAL_PAGE, MAX_PAGE_SIZE),
      () => ({
        items:
          sinceRevision === null
            ? this.fullList(calendar, selection, orderBy)
            : selectChanges(calendar, sinceRevision, selection),
        revision: this.store.revision,
      }),
    );
    const isSyncable = NOT_SYNCABLE.every((name) => request.query[name] === undefined);
    const nextSyncToken =
      page.nextPageToken === null && isSyncable ? this.syncTokens.issue(scope, page.revision) : undefined;
    return this.answer(viewer, page.items, { nextPageToken: page.nextPageToken ?? undefined, nextSyncToken });
  }

  instances(request: CalendarApiRequest): CalendarApiResponse {
    const viewer = this.viewerOf(request);
    const { calendar } = viewer;
    const series = findEvent(calendar, request.path.eventId!);
    if (series === null) throw notFound();
    if (!isRecurring(series)) throw invalid('The event is not a recurring event.');
    const bounds = boundsOf(request);
    const showDeleted = flagParameter(request, 'showDeleted') ?? false;
    const page = this.pageTokens.page<ListedEvent>(
      textParameter(request, 'pageToken'),
      `${request.user.email} ${calendar.id} ${series.id} ${fingerprintOf(request, ['pageToken'])}`,
      pageSizeOf(request, USUAL_PAGE, MAX_PAGE_SIZE),
      () => {
        // The lower bound is inclusive only here.
        const inclusive = { ...bounds, minMs: bounds.minMs === null ? null : bounds.minMs - 1 };
        const all = [
          ...untouchedInstances(calendar, series, bounds, this.host.nowMs()),
          ...exceptionsOf(calendar.events, series.id),
        ];
        const found = all
          .filter(({ life }) => life === 'live' || (showDeleted && life === 'cancelled'))
          .filter((record) => overlaps(record, inclusive, calendar.timeZone));
        return { items: found.sort(byStart(calendar)).map(toListed), revision: this.store.revision };
      },
    );
    return this.answer(viewer, page.items, { nextPageToken: page.nextPageToken ?? undefined });
  }

  private fullList(calendar: CalendarRecord, selection: Selection, orderBy: string | undefined): ListedEvent[] {
    if (orderBy === 'updated') throw notOffered('lists in the order of updates');
    const found = selectEvents(calendar, selection);
    if (orderBy === 'startTime') found.sort(byStart(calendar));
    return found.map(toListed);
  }

  /** Returns the revision of the client's sync token; null for a full list. */
  private sinceRevision(request: CalendarApiRequest, scope: TokenScope): number | null {
    const syncToken = textParameter(request, 'syncToken');
    if (syncToken === undefined) return null;
    for (const name of NOT_WITH_SYNC_TOKEN) {
      if (request.query[name] !== undefined) {
        throw invalid(`The parameter ${name} cannot be combined with a sync token.`, name);
      }
    }
    if (flagParameter(request, 'showDeleted') === false) {
      throw invalid('showDeleted cannot be false with a sync token.', 'showDeleted');
    }
    return this.syncTokens.redeem(syncToken, scope);
  }

  private viewerOf(request: CalendarApiRequest): Viewer {
    if (request.query.alwaysIncludeEmail !== undefined) this.host.violation('alwaysIncludeEmail is deprecated');
    for (const name of NOT_OFFERED) {
      if (request.query[name] !== undefined) throw notOffered(`reads of events with ${name}`);
    }
    const calendar = this.store.calendarFor(request.user, request.path.calendarId!);
    return {
      calendar,
      user: request.user,
      role: requireRole(calendar, request.user, 'freeBusyReader'),
      timeZone: timeZoneOf(textParameter(request, 'timeZone'), calendar.timeZone),
    };
  }

  private answer(
    viewer: Viewer,
    items: readonly ListedEvent[],
    tokens: { nextPageToken?: string; nextSyncToken?: string },
  ): CalendarApiResponse {
    const { calendar, user, role } = viewer;
    const entry = this.store.account(user.email)?.list.get(calendar.id.toLowerCase());
    return {
      status: 200,
      body: compact({
        kind: 'calendar#events',
        etag: `"p${this.store.revision}"`,
        summary: calendar.summary,
        description: calendar.description,
        updated: timestamp(calendar.updatedMs),
        timeZone: calendar.timeZone,
        accessRole: role,
        defaultReminders: entry?.defaultReminders ?? [],
        ...tokens,
        items: items.map(({ record, isGone }) => (isGone ? viewGone(record, viewer) : viewEvent(record, viewer))),
      }),
    };
  }
}

function scopeOf(request: CalendarApiRequest, calendar: CalendarRecord): TokenScope {
  return {
    email: request.user.email.toLowerCase(),
    collection: `events ${calendar.id}`,
    calendarId: calendar.id.toLowerCase(),
    fixed: JSON.stringify([
      flagParameter(request, 'singleEvents') ?? false,
      [...listParameter(request, 'eventTypes')].sort(),
    ]),
    usual: JSON.stringify(['maxResults', 'timeZone'].map((name) => request.query[name] ?? null)),
  };
}

function toListed(record: EventRecord): ListedEvent {
  return { record, isGone: false };
}

function byStart({ timeZone }: CalendarRecord): (a: EventRecord, b: EventRecord) => number {
  return (a, b) => instantOf(a.start, timeZone) - instantOf(b.start, timeZone) || (a.id < b.id ? -1 : 1);
}
