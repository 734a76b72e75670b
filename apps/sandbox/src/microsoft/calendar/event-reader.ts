import type { Call, GraphResponse } from '../contract.js';
import type { CalendarAccess } from './calendar-access.js';
import { DAY_MS, instantParameter } from './clock-time.js';
import { eventJson, expandedProperties, PROPERTIES, propertyRows, wordingOf, type Wording } from './event-view.js';
import { itemId } from './ids.js';
import type { CalendarView, EventRecord, Item } from './model.js';
import {
  arranged,
  expansionsOf,
  pageOf,
  propertyTest,
  selected,
  selectionOf,
  type Expansions,
  type Row,
} from './odata-options.js';
import { invalidRequest } from './errors.js';
import { itemOf, itemsIn, type Window } from './series.js';
import type { Store } from './store.js';

const MAX_VIEW_DAYS = 1_825;

export class EventReader {
  constructor(
    private readonly store: Store,
    private readonly access: CalendarAccess,
  ) {}

  get(call: Call): GraphResponse {
    const item = this.access.item(call, call.isAnyOwn);
    const wording = wordingOf(call.prefer);
    const expansions = expansionsOf(call.query, [PROPERTIES, 'exceptionOccurrences']);
    const selection = selectionOf(call.query);
    return {
      status: 200,
      body: {
        ...selected(eventJson(item, item.view, wording), selection),
        ...expandedProperties(propertyRows(item.content.properties), propertyTest(expansions.get(PROPERTIES))),
        ...instanceLists(item, item.view, selection, expansions, wording),
      },
    };
  }

  list(call: Call): GraphResponse {
    const view = this.access.named(call);
    const items = this.store.eventsOf(view.calendar.key).map((record) => itemOf(record, null));
    return this.page(call, view, items);
  }

  /** Lists single events and instances of series in a window. */
  view(call: Call): GraphResponse {
    const view = this.access.named(call);
    const window = windowOf(call.query);
    const items = this.store.eventsOf(view.calendar.key).flatMap((record) => itemsIn(record, window));
    items.sort((one, other) => one.content.times.startMs - other.content.times.startMs);
    const selection = selectionOf(call.query);
    // A view has these two fields only without `$select`.
    const page = this.page(call, view, items);
    return selection === null ? page : without(page, ['createdDateTime', 'lastModifiedDateTime']);
  }

  /** Lists instances of one series in a window, without deleted ones. */
  instances(call: Call): GraphResponse {
    const { record, date, view } = this.access.item(call, call.isAnyOwn);
    if (date !== null || record.recurrence === null) {
      throw invalidRequest('Instances can be asked for of a series only.');
    }
    return this.page(call, view, itemsIn(record, windowOf(call.query)));
  }

  private page({ query, prefer, url }: Call, view: CalendarView, items: readonly Item[]): GraphResponse {
    const wording = wordingOf(prefer);
    const isExpanded = propertyTest(expansionsOf(query, [PROPERTIES]).get(PROPERTIES));
    const selection = selectionOf(query);
    const rows = items.map((item) => ({
      ...eventJson(item, view, wording),
      [PROPERTIES]: propertyRows(item.content.properties),
    }));
    const page = pageOf(arranged(rows, query), query, url);
    const value = (page['value'] as Row[]).map((row) => listed(row, selection, isExpanded));
    return { status: 200, body: { ...page, value } };
  }
}

/** @throws GraphErrorResponse 400 for a window beyond the maximum */
export function windowOf(query: Readonly<Record<string, string>>): Window {
  const window = { startMs: instantParameter(query, 'startDateTime'), endMs: instantParameter(query, 'endDateTime') };
  if (window.endMs < window.startMs) throw invalidRequest('The end of the window is before its start.');
  if (window.endMs - window.startMs > MAX_VIEW_DAYS * DAY_MS) {
    throw invalidRequest(`The requested duration exceeds the maximum of ${MAX_VIEW_DAYS} days.`);
  }
  return window;
}

/** Original days in the form of `cancelledOccurrences`. */
function cancelledOccurrences({ key, cancelled }: EventRecord, wording: Wording): string[] {
  return [...cancelled].sort().map((date) => `OID.${itemId({ key, date: null }, wording.form)}.${date}`);
}

/** Instance lists of a series, which only a read by id returns on request. */
function instanceLists(
  { record, date }: Item,
  view: CalendarView,
  selection: ReadonlySet<string> | null,
  expansions: Expansions,
  wording: Wording,
): Row {
  if (date !== null || record.recurrence === null) return {};
  const options = expansions.get('exceptionOccurrences');
  return {
    ...(selection?.has('cancelledOccurrences') === true && {
      cancelledOccurrences: cancelledOccurrences(record, wording),
    }),
    ...(options !== undefined && {
      exceptionOccurrences: Object.keys(record.exceptions)
        .sort()
        .map((day) => selected(eventJson(itemOf(record, day), view, wording), selectionOf(options))),
    }),
  };
}

/** One row of a list: extended properties only if expanded, a join link only with `isOnlineMeeting`. */
function listed(row: Row, selection: ReadonlySet<string> | null, isExpanded: (row: Row) => boolean): Row {
  const { [PROPERTIES]: properties, ...event } = row;
  const isLinkHidden = selection !== null && !selection.has('isOnlineMeeting');
  return {
    ...selected({ ...event, ...(isLinkHidden && { onlineMeeting: null }) }, selection),
    ...expandedProperties(properties as Row[], isExpanded),
  };
}

function without({ status, body }: GraphResponse, names: readonly string[]): GraphResponse {
  const page = body as Row;
  const value = (page['value'] as Row[]).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))),
  );
  return { status, body: { ...page, value } };
}
