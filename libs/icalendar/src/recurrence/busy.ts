import { parsePeriod } from '../ics-time.js';
import type { IcsComponent, IcsProperty } from '../model.js';
import { objectZones } from '../zones/object-zones.js';
import { ianaZoneArithmetic } from '../zones/zone-arithmetic.js';
import { ZoneClocks, endOfInstance, overlaps, readEventTimes } from './event-times.js';
import { Expansion, type InstantWindow } from './expansion.js';
import type { Sighting } from './occurrence.js';
import { RecurrenceError } from '../errors.js';
import { type Series, SeriesGroups } from './series.js';
import { parseWallValue } from './wall-value.js';
import { Work } from '../work.js';

/** Half-open, epoch milliseconds. */
export interface BusyTime {
  startMs: number;
  endMs: number;
}

export interface BusyOptions {
  /** IANA zone of dates and floating times. */
  floatingTimeZone: string;
  /** Addresses of the calendar's owner, in any case, with or without `mailto:`. */
  ownAddresses: readonly string[];
  /** True when all events share one work limit. By default each series has its own. */
  isOneObject?: boolean;
  /**
   * Called for each blocking event that cannot be expanded; its time is then missing from the result. With reason
   * `too-large` nothing is missing: the window counts as busy from the last instance read on.
   */
  onUnreadable?: (component: IcsComponent, error: RecurrenceError) => void;
}

interface Search {
  slots: BusyTime[];
  window: InstantWindow;
  clocks: ZoneClocks;
  own: ReadonlySet<string>;
  onUnreadable: BusyOptions['onUnreadable'];
}

/** Instances of one series in one window; a series with more blocks the rest of the window. */
const MAX_INSTANCES = 5_000;

/** Lines of a VEVENT that busy time depends on, collected in one pass. */
interface EventLines {
  uid: string;
  dtstart: IcsProperty | undefined;
  dtend: IcsProperty | undefined;
  duration: IcsProperty | undefined;
  isOverride: boolean;
  recurs: boolean;
}

/**
 * Returns busy time of all VEVENTs of a VCALENDAR in a window, not merged and not clipped. Counts opaque events that
 * are neither cancelled nor declined by an own address; tentative and unanswered ones count.
 * X-MICROSOFT-CDO-BUSYSTATUS:FREE replaces a missing TRANSP. Events without length block no time.
 * Does not throw for a single bad event: see `onUnreadable`.
 */
export function busyOfCalendar(calendar: IcsComponent, window: InstantWindow, options: BusyOptions): BusyTime[] {
  const clocks = new ZoneClocks(objectZones(calendar), ianaZoneArithmetic(options.floatingTimeZone));
  const own = new Set(options.ownAddresses.map(addressKey));
  const slots: BusyTime[] = [];
  const search: Search = { slots, window, clocks, own, onUnreadable: options.onUnreadable };
  const series = new SeriesGroups();
  const single: { component: IcsComponent; lines: EventLines }[] = [];

  for (const component of calendar.components) {
    if (component.name !== 'VEVENT') continue;
    const lines = linesOf(component);
    if (!lines.isOverride && !lines.recurs) {
      single.push({ component, lines });
      continue;
    }
    series.add(component, lines.uid, lines.isOverride);
  }
  for (const { component, lines } of single) {
    // An override may move the only instance of an event without a rule.
    if (series.has(lines.uid)) series.add(component, lines.uid, false);
    else addSingle(search, component, lines);
  }
  const work = options.isOneObject === true ? Work.ofRecurrence() : null;
  for (const group of series.all) addSeries(search, group, work ?? Work.ofRecurrence());
  return slots;
}

/** Sorts, clips to the window, joins overlapping and touching slots, and removes empty ones. */
export function mergeBusy(slots: readonly BusyTime[], window: InstantWindow): BusyTime[] {
  const clipped = slots
    .map(({ startMs, endMs }) => ({
      startMs: Math.max(startMs, window.startMs),
      endMs: Math.min(endMs, window.endMs),
    }))
    .filter(({ startMs, endMs }) => startMs < endMs)
    .sort((a, b) => a.startMs - b.startMs);
  const merged: BusyTime[] = [];
  for (const slot of clipped) {
    const last = merged.at(-1);
    if (last !== undefined && slot.startMs <= last.endMs) last.endMs = Math.max(last.endMs, slot.endMs);
    else merged.push(slot);
  }
  return merged;
}

function linesOf(component: IcsComponent): EventLines {
  const lines: EventLines = {
    uid: '',
    dtstart: undefined,
    dtend: undefined,
    duration: undefined,
    isOverride: false,
    recurs: false,
  };
  for (const property of component.properties) {
    switch (property.name) {
      case 'UID':
        lines.uid = property.value;
        break;
      case 'DTSTART':
        lines.dtstart ??= property;
        break;
      case 'DTEND':
        lines.dtend ??= property;
        break;
      case 'DURATION':
        lines.duration ??= property;
        break;
      case 'RECURRENCE-ID':
        lines.isOverride = true;
        break;
      case 'RRULE':
      case 'RDATE':
        lines.recurs = true;
        break;
    }
  }
  return lines;
}

function addSingle(search: Search, component: IcsComponent, { dtstart, dtend, duration }: EventLines): void {
  const { slots, window, clocks, own } = search;
  try {
    const times = readEventTimes(dtstart, dtend, duration, clocks);
    const startMs = times.startMs;
    const start = { wallMs: times.startWall, instantMs: startMs };
    const endMs = endOfInstance(start, times.length, times.clock.zone);
    if (endMs > startMs && overlaps(startMs, endMs, window) && isBusy(component, own)) slots.push({ startMs, endMs });
  } catch (error) {
    report(error, component, search);
  }
}

function addSeries(search: Search, series: Series, work: Work): void {
  const { slots, window, clocks, own } = search;
  const busy = new Map<IcsComponent, boolean>();
  const found: BusyTime[] = [];
  const add = (startMs: number, endMs: number, { source: { component } }: Sighting): boolean => {
    if (found.length >= MAX_INSTANCES) {
      throw new RecurrenceError('too-large', 'RRULE', `has more than ${MAX_INSTANCES} instances in this range`);
    }
    let isComponentBusy = busy.get(component);
    if (isComponentBusy === undefined) busy.set(component, (isComponentBusy = isBusy(component, own)));
    if (isComponentBusy && endMs > startMs) found.push({ startMs, endMs });
    return true;
  };
  try {
    new Expansion(series, clocks, work).visit(window, add);
    if (series.master !== null) reportUnreadableDates(series.master, search);
    for (const slot of found) slots.push(slot);
  } catch (error) {
    const parts = [...(series.master === null ? [] : [series.master]), ...series.overrides];
    const component = parts[0]!;
    report(error, parts.find((part) => isBusy(part, own)) ?? component, search);
    if (isTooLarge(error) && (found.length > 0 || isBusy(component, own))) {
      // The rest of the window counts as busy, because an unread instance must not look free.
      slots.push(...found, { startMs: found.at(-1)?.startMs ?? window.startMs, endMs: window.endMs });
      return;
    }
    for (const part of parts) addSingle(search, part, linesOf(part));
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RecurrenceError && error.reason === 'too-large';
}

function report(error: unknown, component: IcsComponent, { own, onUnreadable }: Search): void {
  if (!(error instanceof RecurrenceError)) throw error;
  if (isBusy(component, own)) onUnreadable?.(component, error);
}

/** An expansion skips unreadable values; in RDATE these are missing instances. */
function reportUnreadableDates(master: IcsComponent, search: Search): void {
  for (const property of master.propertiesNamed('RDATE')) {
    const isRead = (value: string) => parseWallValue(value) !== null || parsePeriod(value) !== null;
    if (property.value.trim() === '' || property.value.split(',').every(isRead)) continue;
    report(new RecurrenceError('invalid', 'RDATE', 'holds what is no time'), master, search);
  }
}

function isBusy(component: IcsComponent, own: ReadonlySet<string>): boolean {
  let transp: string | undefined;
  let isMicrosoftFree = false;
  for (const property of component.properties) {
    switch (property.name) {
      case 'STATUS':
        if (property.value.trim().toUpperCase() === 'CANCELLED') return false;
        break;
      case 'TRANSP':
        transp ??= property.value.trim().toUpperCase();
        break;
      case 'X-MICROSOFT-CDO-BUSYSTATUS':
        isMicrosoftFree = property.value.trim().toUpperCase() === 'FREE';
        break;
      case 'ATTENDEE':
        if (isOwnDecline(property, own)) return false;
        break;
    }
  }
  return transp === undefined ? !isMicrosoftFree : transp !== 'TRANSPARENT';
}

function isOwnDecline(attendee: IcsProperty, own: ReadonlySet<string>): boolean {
  if (own.size === 0 || attendee.parameter('PARTSTAT')?.toUpperCase() !== 'DECLINED') return false;
  const email = attendee.parameter('EMAIL');
  return own.has(addressKey(attendee.value)) || (email !== undefined && own.has(addressKey(email)));
}

function addressKey(address: string): string {
  return address
    .trim()
    .toLowerCase()
    .replace(/^mailto:/, '');
}
