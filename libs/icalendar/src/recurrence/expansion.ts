import { DAY_MS, FIRST_WALL_MS, LAST_WALL_MS, dayOfWall } from './civil.js';
import {
  type ZoneClock,
  type ZoneClocks,
  type EventTimes,
  type Moment,
  instantOn,
  maxMs,
  overlaps,
  wallOn,
} from './event-times.js';
import { type Instance, type WallRange, visitPattern, visitUnexcluded } from './expand-rule.js';
import {
  type ExcludedInstance,
  type Occurrence,
  type Sighting,
  endOf,
  instanceDateOf,
  timeOn,
  toOccurrence,
} from './occurrence.js';
import {
  type Override,
  type Pattern,
  type Series,
  keyOf,
  maxInstanceMs,
  readOverrides,
  readPattern,
} from './series.js';
import { parseWallValue } from './wall-value.js';
import type { Work } from '../work.js';

/** Half-open, epoch milliseconds. */
export interface InstantWindow {
  startMs: number;
  endMs: number;
}

type Visitor = (startMs: number, endMs: number, sighting: Sighting) => boolean;

const INSTANCE_DATE = /^\d{8}(?:T\d{6}Z?)?$/;

export class Expansion {
  private readonly pattern: Pattern | null;
  private readonly overrides: Override[];
  /** Overrides by the key of the instance that they replace. */
  private readonly replaced = new Map<number, Override>();
  /** Overrides whose RECURRENCE-ID is a date. */
  private readonly replacedDays = new Map<number, Override>();
  /** THISANDFUTURE overrides, ascending. */
  private readonly shifts: Override[];

  /**
   * @param work limit of all visits together
   * @throws RecurrenceError `invalid`, `unsupported`, `too-large`
   */
  constructor(series: Series, clocks: ZoneClocks, work?: Work) {
    this.pattern = series.master === null ? null : readPattern(series.master, clocks, work);
    this.overrides = series.overrides.length === 0 ? [] : readOverrides(series.overrides, this.times, clocks);
    for (const override of this.overrides) {
      if (override.isWholeDay) this.replacedDays.set(dayOfWall(override.original.wallMs), override);
      else this.replaced.set(keyOf(override.original, override.originalClock), override);
    }
    this.shifts = this.overrides
      .filter(({ changesFuture }) => changesFuture)
      .sort((a, b) => a.original.instantMs - b.original.instantMs);
  }

  get isRecurring(): boolean {
    return this.pattern === null || this.pattern.isRecurring || this.overrides.length > 0;
  }

  private get times(): EventTimes | null {
    return this.pattern?.times ?? null;
  }

  /**
   * Visits occurrences that overlap the window, in no order.
   * @param visit gets the start and end instants, and input for `toOccurrence`; returns false to stop
   * @throws RecurrenceError `too-large`
   */
  visit(window: InstantWindow, visit: Visitor): void {
    const { pattern } = this;
    let goesOn = true;
    if (pattern !== null) {
      const { clock } = pattern.times;
      visitPattern(pattern, this.rangeOf(pattern, window), (instance) => {
        if (this.isReplaced(instance, clock)) return true;
        const sighting = this.place(instance, pattern);
        const { instantMs } = sighting.start;
        const endMs = endOf(sighting);
        return !overlaps(instantMs, endMs, window) || (goesOn = visit(instantMs, endMs, sighting));
      });
    }
    for (const override of this.overrides) {
      if (!goesOn) return;
      const sighting = this.sightingOf(override);
      const { instantMs } = sighting.start;
      const endMs = endOf(sighting);
      if (overlaps(instantMs, endMs, window)) goesOn = visit(instantMs, endMs, sighting);
    }
  }

  /** See `findInstance`. */
  find(instanceDate: string): Occurrence | null {
    const value = INSTANCE_DATE.test(instanceDate) ? parseWallValue(instanceDate) : null;
    if (value === null || !this.isRecurring) return null;
    const found = new Map<string, Occurrence>();
    const offer = (occurrence: Occurrence) => found.set(occurrence.instanceDate, occurrence);
    const isBare = value.form === 'date';
    const isMeant = (original: Moment, clock: ZoneClock) =>
      isBare
        ? dayOfWall(original.wallMs) === dayOfWall(value.wallMs)
        : instanceDateOf(original, clock) === instanceDate;
    for (const override of this.overrides) {
      const original = this.originalOf(override);
      if (isMeant(original, override.originalClock)) offer(toOccurrence(this.sightingOf(override)));
    }
    const { pattern } = this;
    if (pattern !== null) {
      const { clock } = pattern.times;
      const wallMs = value.form === 'utc' ? wallOn(clock.zone, value.wallMs) : value.wallMs;
      visitPattern(pattern, { fromWall: wallMs, toWall: wallMs + (isBare ? DAY_MS : 1) }, (instance) => {
        if (!isMeant(instance, clock) || this.isReplaced(instance, clock)) return true;
        offer(toOccurrence(this.place(instance, pattern)));
        return found.size <= 1;
      });
    }
    return found.size === 1 ? [...found.values()][0]! : null;
  }

  /** Returns EXDATEs and cancelled overrides whose original start lies in the window. See `excludedInstances`. */
  excluded(window: InstantWindow): ExcludedInstance[] {
    const excluded = new Map<number, ExcludedInstance>();
    const isInWindow = ({ instantMs }: Moment) => instantMs >= window.startMs && instantMs < window.endMs;
    for (const override of this.overrides) {
      const original = this.originalOf(override);
      if (!override.isCancelled || !isInWindow(original)) continue;
      const { originalClock: clock, component } = override;
      excluded.set(keyOf(original, clock), toExcluded(original, clock, component));
    }
    const { pattern } = this;
    if (pattern === null) return [...excluded.values()];
    const { clock } = pattern.times;
    const add = (moment: Moment) => {
      const key = keyOf(moment, clock);
      if (isInWindow(moment) && !excluded.has(key) && !this.isReplaced(moment, clock)) {
        excluded.set(key, toExcluded(moment, clock, null));
      }
      return true;
    };
    for (const key of pattern.excluded) {
      add(
        clock.kind === 'date'
          ? { wallMs: key, instantMs: instantOn(clock.zone, key) }
          : { wallMs: wallOn(clock.zone, key), instantMs: key },
      );
    }
    for (const day of pattern.excludedDays) {
      visitUnexcluded(pattern, { fromWall: day * DAY_MS, toWall: (day + 1) * DAY_MS }, add);
    }
    return [...excluded.values()];
  }

  /** Range of starts that can reach into the window, by their own length or a later shift. */
  private rangeOf(pattern: Pattern, window: InstantWindow): WallRange {
    const { zone } = pattern.times.clock;
    let longest = maxInstanceMs(pattern);
    let forward = 0;
    let backward = 0;
    for (const { times, original } of this.shifts) {
      const delta = times.startMs - original.instantMs;
      longest = Math.max(longest, maxMs(times.length));
      forward = Math.max(forward, delta);
      backward = Math.min(backward, delta);
    }
    // One day more on both sides, because clock changes move wall-clock times less than that against instants.
    return {
      fromWall: wallOn(zone, Math.max(FIRST_WALL_MS, window.startMs - longest - forward)) - DAY_MS,
      toWall: wallOn(zone, Math.min(LAST_WALL_MS, window.endMs - backward)) + DAY_MS,
    };
  }

  private place(instance: Instance, pattern: Pattern): Sighting {
    const shift = this.shiftAt(instance.instantMs);
    if (shift !== undefined) return this.shifted(shift, instance, pattern.times.clock);
    const { clock, length, endClock } = pattern.times;
    const hasOwnLength = instance.length !== null;
    return {
      source: pattern,
      isOverride: false,
      start: instance,
      length: hasOwnLength ? instance.length! : length,
      clock,
      endClock: hasOwnLength ? clock : endClock,
      original: instance,
      originalClock: clock,
    };
  }

  private shiftAt(instantMs: number): Override | undefined {
    let low = 0;
    let high = this.shifts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.shifts[middle]!.original.instantMs <= instantMs) low = middle + 1;
      else high = middle;
    }
    return this.shifts[low - 1];
  }

  /** Moves an instance after a THISANDFUTURE override by the same distance, with its length (RFC 5545 §3.8.4.4). */
  private shifted(shift: Override, original: Moment, originalClock: ZoneClock): Sighting {
    const { clock, length, endClock, startWall } = shift.times;
    const moved = startWall + (original.wallMs - shift.original.wallMs);
    const wallMs = clock.kind === 'date' ? dayOfWall(moved) * DAY_MS : moved;
    const start = { wallMs, instantMs: instantOn(clock.zone, wallMs) };
    return { source: shift, isOverride: true, start, length, clock, endClock, original, originalClock };
  }

  private isReplaced(instance: Moment, clock: ZoneClock): boolean {
    return (
      this.replaced.has(keyOf(instance, clock)) ||
      (this.replacedDays.size > 0 && this.replacedDays.has(dayOfWall(instance.wallMs)))
    );
  }

  private sightingOf(override: Override): Sighting {
    const { startWall, startMs, length, clock, endClock } = override.times;
    return {
      source: override,
      isOverride: true,
      start: { wallMs: startWall, instantMs: startMs },
      length,
      clock,
      endClock,
      original: this.originalOf(override),
      originalClock: override.originalClock,
    };
  }

  /** Returns the instance that an override replaces; searches for one named by its day. */
  private originalOf(override: Override): Moment {
    const { pattern } = this;
    if (!override.isWholeDay || pattern === null) return override.original;
    const fromWall = dayOfWall(override.original.wallMs) * DAY_MS;
    let found: Moment | null = null;
    visitUnexcluded(pattern, { fromWall, toWall: fromWall + DAY_MS }, (instance) => {
      found = instance;
      return false;
    });
    return found ?? override.original;
  }
}

function toExcluded(original: Moment, clock: ZoneClock, component: ExcludedInstance['component']): ExcludedInstance {
  return {
    recurrenceId: timeOn(clock, original.wallMs),
    instanceDate: instanceDateOf(original, clock),
    startMs: original.instantMs,
    component,
  };
}
