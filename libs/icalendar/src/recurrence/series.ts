import { parsePeriods, wallValueOf } from '../ics-time.js';
import type { IcsComponent, IcsProperty } from '../model.js';
import { DAY_MS, dayOfWall, timeOfWall } from './civil.js';
import {
  type ZoneClock,
  type ZoneClocks,
  type EventTimes,
  type InstanceLength,
  type Moment,
  instantOn,
  lengthOf,
  maxMs,
  readEventTimes,
  wallOn,
} from './event-times.js';
import { RecurrenceError } from '../errors.js';
import { type RecurrenceRule, parseRule } from './rule.js';
import { type WallForm, parseWallValue } from './wall-value.js';
import { Work } from '../work.js';

/** Components of one UID: the series (or single event) and its overrides. */
export interface Series {
  /** null for an invitation to single instances. */
  master: IcsComponent | null;
  overrides: IcsComponent[];
}

/** Groups components by UID. A second master becomes a series of its own, because dropping it would hide an event. */
export class SeriesGroups {
  readonly all: Series[] = [];
  private readonly byUid = new Map<string, Series>();

  add(component: IcsComponent, uid: string, isOverride: boolean): void {
    let series = this.byUid.get(uid);
    if (series === undefined || (!isOverride && series.master !== null)) {
      this.all.push((series = { master: null, overrides: [] }));
      if (!this.byUid.has(uid)) this.byUid.set(uid, series);
    }
    if (isOverride) series.overrides.push(component);
    else series.master = component;
  }

  has(uid: string): boolean {
    return this.byUid.has(uid);
  }
}

/** An RDATE; `length` is set for a period. */
export interface AddedInstance extends Moment {
  length: InstanceLength | null;
}

/** Parsed recurrence of a master. Moments are on the clock of its DTSTART. */
export interface Pattern {
  component: IcsComponent;
  times: EventTimes;
  rules: RecurrenceRule[];
  exclusionRules: RecurrenceRule[];
  added: AddedInstance[];
  /** Keys (see `keyOf`) of EXDATE. */
  excluded: Set<number>;
  /** Day numbers of EXDATEs of type DATE in a timed series. */
  excludedDays: Set<number>;
  isRecurring: boolean;
  isCancelled: boolean;
  work: Work;
}

export interface Override {
  component: IcsComponent;
  times: EventTimes;
  /** Replaced instance, on the series' clock; on its own clock without a master. */
  original: Moment;
  originalClock: ZoneClock;
  /** True when RECURRENCE-ID is a DATE in a timed series: it means the instance that starts on that day. */
  isWholeDay: boolean;
  /** RANGE=THISANDFUTURE (RFC 5545 §3.2.13). */
  changesFuture: boolean;
  isCancelled: boolean;
  sequence: number;
}

/** Identifies an instance in its series: by day if all-day, else by instant. */
export function keyOf(moment: Moment, clock: ZoneClock): number {
  return clock.kind === 'date' ? moment.wallMs : moment.instantMs;
}

export function isCancelled(component: IcsComponent): boolean {
  return component.property('STATUS')?.value.trim().toUpperCase() === 'CANCELLED';
}

/** RRULE and EXRULE lines of one event. */
const MAX_RULES = 100;

/**
 * @param work limit of visiting the instances
 * @throws RecurrenceError `invalid`, `unsupported`, `too-large`
 */
export function readPattern(component: IcsComponent, clocks: ZoneClocks, work = Work.ofRecurrence()): Pattern {
  const rules = component.propertiesNamed('RRULE');
  const rdates = component.propertiesNamed('RDATE');
  const isRecurring = rules.length > 0 || rdates.length > 0;
  // A single event has nothing to exclude: lists, reads by id and free/busy must all show it.
  const exclusions = (name: string) => (isRecurring ? component.propertiesNamed(name) : []);
  const exclusionRules = exclusions('EXRULE');
  if (rules.length + exclusionRules.length > MAX_RULES) {
    throw new RecurrenceError('too-large', 'RRULE', `there are more than ${MAX_RULES} rules`);
  }
  const times = readTimes(component, component.property('DTSTART'), clocks);
  const ruleOf = ({ value }: IcsProperty) => parseRule(value, { dtstartKind: times.clock.kind });
  const pattern: Pattern = {
    component,
    times,
    rules: rules.map(ruleOf),
    exclusionRules: exclusionRules.map(ruleOf),
    added: rdates.flatMap((property) => readAdded(property, times, clocks)),
    excluded: new Set(),
    excludedDays: new Set(),
    isRecurring,
    isCancelled: isCancelled(component),
    work,
  };
  for (const property of exclusions('EXDATE')) readExcluded(property, pattern, clocks);
  return pattern;
}

function readTimes(component: IcsComponent, dtstart: IcsProperty | undefined, clocks: ZoneClocks): EventTimes {
  return readEventTimes(dtstart, component.property('DTEND'), component.property('DURATION'), clocks);
}

/** Returns the newest override of each instance. @throws RecurrenceError `invalid` */
export function readOverrides(
  components: readonly IcsComponent[],
  master: EventTimes | null,
  clocks: ZoneClocks,
): Override[] {
  const overrides = new Map<string, Override>();
  for (const component of components) {
    const override = readOverride(component, master, clocks);
    const key = `${override.isWholeDay ? 'day' : ''}${keyOf(override.original, override.originalClock)}`;
    const other = overrides.get(key);
    if (other === undefined || override.sequence >= other.sequence) overrides.set(key, override);
  }
  return [...overrides.values()];
}

function readOverride(component: IcsComponent, master: EventTimes | null, clocks: ZoneClocks): Override {
  const id = component.property('RECURRENCE-ID');
  const value = id === undefined ? null : parseWallValue(id.value);
  if (id === undefined || value === null) throw new RecurrenceError('invalid', 'RECURRENCE-ID', 'is no time');
  const tzid = id.parameter('TZID');
  const ownClock = master === null ? clocks.of(value.form, tzid) : clockWithin(master, value.form, tzid, clocks);
  const own: Moment = { wallMs: value.wallMs, instantMs: instantOn(ownClock.zone, value.wallMs) };
  const isWholeDay = master !== null && master.clock.kind !== 'date' && ownClock.kind === 'date';
  return {
    component,
    times: readTimes(component, component.property('DTSTART') ?? id, clocks),
    original: master === null ? own : onClockOf(master, own, ownClock),
    originalClock: master?.clock ?? ownClock,
    isWholeDay,
    changesFuture: id.parameter('RANGE')?.toUpperCase() === 'THISANDFUTURE',
    isCancelled: isCancelled(component),
    sequence: Number(component.property('SEQUENCE')?.value) || 0,
  };
}

/**
 * Converts a moment to the clock of a series. An all-day series uses the written date; a date in a timed one gets the
 * time of day of DTSTART.
 */
export function onClockOf(series: EventTimes, moment: Moment, clock: ZoneClock): Moment {
  const { zone, kind } = series.clock;
  if (kind === 'date') {
    const wallMs = dayOfWall(moment.wallMs) * DAY_MS;
    return { wallMs, instantMs: instantOn(zone, wallMs) };
  }
  if (clock.kind === 'date') {
    const wallMs = moment.wallMs + timeOfWall(series.startWall);
    return { wallMs, instantMs: instantOn(zone, wallMs) };
  }
  return { wallMs: wallOn(zone, moment.instantMs), instantMs: moment.instantMs };
}

/** Returns the clock of a time in a series. Programs that omit TZID in EXDATE mean the series' own clock. */
function clockWithin(series: EventTimes, form: WallForm, tzid: string | undefined, clocks: ZoneClocks): ZoneClock {
  const isBare = form === 'local' && tzid === undefined && series.clock.kind !== 'date';
  return isBare ? series.clock : clocks.of(form, tzid);
}

function readAdded(property: IcsProperty, series: EventTimes, clocks: ZoneClocks): AddedInstance[] {
  const tzid = property.parameter('TZID');
  if (!property.value.includes('/')) {
    return readMoments(property).map(({ form, wallMs }) => {
      const clock = clockWithin(series, form, tzid, clocks);
      return { ...onClockOf(series, { wallMs, instantMs: instantOn(clock.zone, wallMs) }, clock), length: null };
    });
  }
  return parsePeriods(property).map((period) => {
    const momentOf = (time: typeof period.start) => {
      const { form, wallMs } = wallValueOf(time);
      const clock = clockWithin(series, form, tzid, clocks);
      return { clock, moment: { wallMs, instantMs: instantOn(clock.zone, wallMs) } };
    };
    const start = momentOf(period.start);
    const isDate = series.clock.kind === 'date';
    const length =
      'duration' in period
        ? lengthOf(period.duration.days, period.duration.seconds * 1_000, isDate)
        : lengthOf(0, momentOf(period.end).moment.instantMs - start.moment.instantMs, isDate);
    return { ...onClockOf(series, start.moment, start.clock), length };
  });
}

function readExcluded(property: IcsProperty, pattern: Pattern, clocks: ZoneClocks): void {
  const tzid = property.parameter('TZID');
  const { times } = pattern;
  const isTimed = times.clock.kind !== 'date';
  for (const { form, wallMs } of readMoments(property)) {
    if (form === 'date' && isTimed) {
      pattern.excludedDays.add(dayOfWall(wallMs));
      continue;
    }
    const clock = clockWithin(times, form, tzid, clocks);
    const moment = onClockOf(times, { wallMs, instantMs: instantOn(clock.zone, wallMs) }, clock);
    pattern.excluded.add(keyOf(moment, times.clock));
  }
}

/** Skips unreadable values: one bad exclusion must not hide a series. */
function readMoments(property: IcsProperty) {
  return property.value
    .split(',')
    .map(parseWallValue)
    .filter((value) => value !== null);
}

export function maxInstanceMs(pattern: Pattern): number {
  return pattern.added.reduce(
    (longest, { length }) => (length === null ? longest : Math.max(longest, maxMs(length))),
    maxMs(pattern.times.length),
  );
}
