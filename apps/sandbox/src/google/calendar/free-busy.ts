import type { calendar_v3 } from '@googleapis/calendar';
import type { CalendarApiResponse, CalendarApiHost, CalendarApiRequest } from '../contract.js';
import { roleOf } from './access.js';
import { overlaps, selectEvents } from './event-selection.js';
import { formatInstant, instantOf, parseInstant } from './event-time.js';
import { selfOf, timestamp } from './event-view.js';
import type { CalendarRecord, EventRecord, Window } from './model.js';
import { badCalendarRequest, invalid, notOffered, required, timeRangeEmpty } from './errors.js';
import { timeZoneOf } from './request.js';
import type { Store } from './store.js';

const MAX_CALENDARS = 50;
const DAY_MS = 86_400_000;
/** Undocumented; observed by others (calcom/cal.diy#11962). */
const MAX_RANGE_MS = 90 * DAY_MS;

/** `freeBusy`: an error of one calendar does not affect the others. */
export class FreeBusy {
  constructor(
    private readonly store: Store,
    private readonly host: CalendarApiHost,
  ) {}

  query(request: CalendarApiRequest): CalendarApiResponse {
    const body: calendar_v3.Schema$FreeBusyRequest = request.body ?? {};
    const window = windowOf(body);
    const zone = timeZoneOf(body.timeZone, 'UTC');
    if (body.calendarExpansionMax != null || body.groupExpansionMax != null) throw notOffered('other limits');
    const ids = (body.items ?? []).map(({ id }) => id ?? '');
    const calendars = ids.map((id, index): [string, calendar_v3.Schema$FreeBusyCalendar] => {
      if (index >= MAX_CALENDARS) return [id, failed('tooManyCalendarsRequested')];
      const calendar = this.store.calendar(id === 'primary' ? request.user.email : id);
      if (calendar === undefined || roleOf(calendar, request.user) === 'none') return [id, failed('notFound')];
      const busy = this.busyTimes(calendar, window).map(({ startMs, endMs }) => ({
        start: formatInstant(startMs, zone),
        end: formatInstant(endMs, zone),
      }));
      return [id, { busy }];
    });
    return {
      status: 200,
      body: {
        kind: 'calendar#freeBusy',
        timeMin: timestamp(window.startMs),
        timeMax: timestamp(window.endMs),
        calendars: Object.fromEntries(calendars),
      },
    };
  }

  private busyTimes(calendar: CalendarRecord, window: Window): Window[] {
    const bounds = { minMs: window.startMs, maxMs: window.endMs };
    const events = selectEvents(calendar, {
      bounds,
      singleEvents: true,
      showDeleted: false,
      filter: () => true,
      nowMs: this.host.nowMs(),
    });
    const slots = events
      .filter((event) => isBusy(event, calendar) && overlaps(event, bounds, calendar.timeZone))
      .map(({ start, end }) => ({
        startMs: instantOf(start, calendar.timeZone),
        endMs: instantOf(end, calendar.timeZone),
      }));
    return merged(slots, window);
  }
}

/** Clips to the window and joins overlapping and touching slots, ascending. */
function merged(slots: readonly Window[], window: Window): Window[] {
  const busy: Window[] = [];
  for (const slot of [...slots].sort((a, b) => a.startMs - b.startMs)) {
    const startMs = Math.max(slot.startMs, window.startMs);
    const endMs = Math.min(slot.endMs, window.endMs);
    const last = busy.at(-1);
    if (startMs >= endMs) continue;
    if (last !== undefined && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else busy.push({ startMs, endMs });
  }
  return busy;
}

function windowOf({ timeMin, timeMax }: calendar_v3.Schema$FreeBusyRequest): Window {
  const startMs = boundOf(timeMin, 'timeMin');
  const endMs = boundOf(timeMax, 'timeMax');
  if (startMs >= endMs) throw timeRangeEmpty();
  if (endMs - startMs > MAX_RANGE_MS) {
    throw badCalendarRequest('timeRangeTooLong', 'The requested time range is too long.');
  }
  return { startMs, endMs };
}

function boundOf(text: string | null | undefined, name: string): number {
  if (text == null) throw required(`Missing ${name} parameter.`);
  const instantMs = parseInstant(text);
  if (instantMs === null) throw invalid(`Invalid value for: ${name}.`);
  return instantMs;
}

function isBusy(event: EventRecord, calendar: CalendarRecord): boolean {
  return event.own.transparency === 'opaque' && selfOf(event, calendar)?.responseStatus !== 'declined';
}

function failed(reason: string): calendar_v3.Schema$FreeBusyCalendar {
  return { errors: [{ domain: 'global', reason }], busy: [] };
}
