import type { CalendarApiAnswer, CalendarApiHost, CalendarApiRequest } from '../contract.js';
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
import { instantOf, parseInstant } from './event-time.js';
import { compact, timestamp, viewEvent, viewGone, type Viewer } from './event-view.js';
import { etagOf } from './ids.js';
import type { CalendarRecord, EventRecord } from './model.js';
import { PageTokens } from './page-tokens.js';
import { isRecurring } from './recurrence.js';
import { invalid, notFound, updatedMinTooLongAgo } from './refusals.js';
import {
  boundsOf,
  fingerprintOf,
  flagParameter,
  instantParameter,
  isUnchanged,
  listParameter,
  numberParameter,
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
  'q',
  'sharedExtendedProperty',
  'timeMin',
  'timeMax',
  'updatedMin',
];
/** A first read that has one of them gets no sync token; bounds are allowed there. */
const NOT_SYNCABLE = NOT_WITH_SYNC_TOKEN.filter((name) => name !== 'timeMin' && name !== 'timeMax');
const USUAL_PAGE = 250;
const LARGEST_PAGE = 2_500;
const DAY_MS = 86_400_000;
/** How long deletions are remembered for `updatedMin`. */
const MEMORY_MS = 28 * DAY_MS;

/** Every read of events: get, list, instances. */
export class EventReader {
  constructor(
    private readonly store: Store,
    private readonly host: CalendarApiHost,
    private readonly syncTokens: SyncTokens,
    private readonly pageTokens: PageTokens,
  ) {}

  get(request: CalendarApiRequest): CalendarApiAnswer {
    const viewer = this.viewerOf(request);
    const record = findEvent(viewer.calendar, request.path.eventId!);
    if (record === null) throw notFound();
    if (isUnchanged(request, etagOf(record.revision))) return { status: 304, body: null };
    return { status: 200, body: viewEvent(record, viewer) };
  }

  list(request: CalendarApiRequest): CalendarApiAnswer {
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
    const updatedMinMs = this.updatedMin(request, selection.nowMs);
    const page = this.pageTokens.page<ListedEvent>(
      textParameter(request, 'pageToken'),
      `${request.user.email} ${calendar.id} ${fingerprintOf(request, ['pageToken'])}`,
      pageSizeOf(request, USUAL_PAGE, LARGEST_PAGE),
      () => ({
        items:
          sinceRevision === null
            ? this.fullList(calendar, selection, orderBy, updatedMinMs)
            : selectChanges(calendar, sinceRevision, selection),
        revision: this.store.revision,
      }),
    );
    const isSyncable = NOT_SYNCABLE.every((name) => request.query[name] === undefined);
    const nextSyncToken =
      page.nextPageToken === null && isSyncable ? this.syncTokens.issue(scope, page.revision) : undefined;
    return this.answer(viewer, page.items, { nextPageToken: page.nextPageToken ?? undefined, nextSyncToken });
  }

  instances(request: CalendarApiRequest): CalendarApiAnswer {
    const viewer = this.viewerOf(request);
    const { calendar } = viewer;
    const series = findEvent(calendar, request.path.eventId!);
    if (series === null) throw notFound();
    if (!isRecurring(series)) throw invalid('The event is not a recurring event.');
    const bounds = boundsOf(request);
    const showDeleted = flagParameter(request, 'showDeleted') ?? false;
    const originalStart = textParameter(request, 'originalStart');
    const page = this.pageTokens.page<ListedEvent>(
      textParameter(request, 'pageToken'),
      `${request.user.email} ${calendar.id} ${series.id} ${fingerprintOf(request, ['pageToken'])}`,
      pageSizeOf(request, USUAL_PAGE, LARGEST_PAGE),
      () => {
        // Here, and only here, the lower bound is inclusive.
        const inclusive = { ...bounds, minMs: bounds.minMs === null ? null : bounds.minMs - 1 };
        const all = [
          ...untouchedInstances(calendar, series, bounds, this.host.nowMs()),
          ...exceptionsOf(calendar.events, series.id),
        ];
        const found = all
          .filter(({ life }) => life === 'live' || (showDeleted && life === 'cancelled'))
          .filter((record) => overlaps(record, inclusive, calendar.timeZone))
          .filter((record) => originalStart === undefined || startsOriginallyAt(record, originalStart, calendar));
        return { items: found.sort(byStart(calendar)).map(toListed), revision: this.store.revision };
      },
    );
    return this.answer(viewer, page.items, { nextPageToken: page.nextPageToken ?? undefined });
  }

  private fullList(
    calendar: CalendarRecord,
    selection: Selection,
    orderBy: string | undefined,
    updatedMinMs: number | null,
  ): ListedEvent[] {
    const found = selectEvents(calendar, {
      ...selection,
      showDeleted: selection.showDeleted || updatedMinMs !== null,
      filter: (record) => selection.filter(record) && (updatedMinMs === null || record.updatedMs >= updatedMinMs),
    });
    if (orderBy === 'startTime') found.sort(byStart(calendar));
    if (orderBy === 'updated') found.sort((a, b) => a.updatedMs - b.updatedMs || a.revision - b.revision);
    return found.map(toListed);
  }

  /** The revision that the client's sync token stands for; null for a full list. */
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

  private updatedMin(request: CalendarApiRequest, nowMs: number): number | null {
    const updatedMinMs = instantParameter(request, 'updatedMin');
    if (updatedMinMs !== null && updatedMinMs < nowMs - MEMORY_MS) throw updatedMinTooLongAgo();
    return updatedMinMs;
  }

  private viewerOf(request: CalendarApiRequest): Viewer {
    if (request.query.alwaysIncludeEmail !== undefined) this.host.violation('alwaysIncludeEmail is deprecated');
    const calendar = this.store.calendarFor(request.user, request.path.calendarId!);
    return {
      calendar,
      user: request.user,
      role: requireRole(calendar, request.user, 'freeBusyReader'),
      timeZone: timeZoneOf(textParameter(request, 'timeZone'), calendar.timeZone),
      maxAttendees: numberParameter(request, 'maxAttendees') ?? null,
    };
  }

  private answer(
    viewer: Viewer,
    items: readonly ListedEvent[],
    tokens: { nextPageToken?: string; nextSyncToken?: string },
  ): CalendarApiAnswer {
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
      flagParameter(request, 'showHiddenInvitations') ?? false,
    ]),
    usual: JSON.stringify(['maxResults', 'timeZone', 'maxAttendees'].map((name) => request.query[name] ?? null)),
  };
}

function toListed(record: EventRecord): ListedEvent {
  return { record, isGone: false };
}

function byStart({ timeZone }: CalendarRecord): (a: EventRecord, b: EventRecord) => number {
  return (a, b) => instantOf(a.start, timeZone) - instantOf(b.start, timeZone) || (a.id < b.id ? -1 : 1);
}

function startsOriginallyAt({ originalStart }: EventRecord, text: string, { timeZone }: CalendarRecord): boolean {
  if (originalStart === null) return false;
  if (originalStart.kind === 'date') return originalStart.date === text;
  return instantOf(originalStart, timeZone) === parseInstant(text);
}
