import { parsePeriod, parseTimeValue, wallMsOf } from '../ics-time.js';
import type { IcsComponent, Zone } from '../model.js';
import type { Work } from '../work.js';
import { equivalentZone } from './equivalent-zone.js';
import { observanceRule } from './observance-rule.js';
import type { ObservanceRule } from './observance-rule.js';

const DAY_MS = 86_400_000;
const OFFSET = /^([+-])(\d{2}):?(\d{2}):?(\d{2})?$/;
/** No real zone has more; further onsets are ignored. */
const MAX_ONSETS = 20_000;
/** Onsets whose reading costs as much as one year of a rule. */
const ONSETS_OF_A_STEP = 8;
/** Characters of one RDATE line. */
const MAX_RDATES_LENGTH = 256 * 1024;
const MAX_RULES = 100;
/** Bounds the memory of a zone that is queried for every year. */
const MAX_YEARS = 400;

interface RuleChange {
  rule: ObservanceRule;
  offsetFromMs: number;
  offsetToMs: number;
}

/** Offset changes of a period, ascending, and the offset before the first. */
interface Changes {
  before: number;
  instants: number[];
  offsets: number[];
}

/**
 * Evaluates a VTIMEZONE (RFC 5545 §3.6.5) in bounded time: DTSTART, RDATE and yearly rules. Ignores other rules.
 * @param referenceYear year for the comparison with tz database zones, which names this zone
 * @param work limit of all zones of the object, for reading and later queries
 * @returns null when no part is usable
 * @throws IcsSyntaxError beyond the limit
 */
export function embeddedZone(tzid: string, vtimezone: IcsComponent, referenceYear: number, work: Work): Zone | null {
  const fixed: { instant: number; offset: number }[] = [];
  const rules: RuleChange[] = [];
  let earliest = { instant: Number.POSITIVE_INFINITY, offsetFrom: 0 };
  for (const observance of vtimezone.components) {
    if (observance.name !== 'STANDARD' && observance.name !== 'DAYLIGHT') continue;
    const offsetToMs = offsetOf(observance, 'TZOFFSETTO');
    const dtstart = parseTimeValue(observance.property('DTSTART')?.value ?? '');
    if (offsetToMs === null || !dtstart) continue;
    const offsetFromMs = offsetOf(observance, 'TZOFFSETFROM') ?? offsetToMs;
    const dtstartMs = wallMsOf(dtstart);
    const first = dtstart.kind === 'utc' ? dtstartMs : dtstartMs - offsetFromMs;
    if (first < earliest.instant) earliest = { instant: first, offsetFrom: offsetFromMs };
    fixed.push({ instant: first, offset: offsetToMs });
    for (const wallMs of rdates(observance)) fixed.push({ instant: wallMs - offsetFromMs, offset: offsetToMs });
    for (const property of observance.propertiesNamed('RRULE')) {
      if (rules.length >= MAX_RULES) break;
      const rule = observanceRule(property.value, dtstartMs, offsetFromMs, work);
      if (rule) rules.push({ rule, offsetFromMs, offsetToMs });
    }
    if (fixed.length > MAX_ONSETS) break;
  }
  work.spend(Math.ceil(fixed.length / ONSETS_OF_A_STEP));
  if (fixed.length === 0) return null;
  fixed.sort((a, b) => a.instant - b.instant);
  const listed = {
    before: earliest.offsetFrom,
    instants: fixed.map(({ instant }) => instant),
    offsets: fixed.map(({ offset }) => offset),
  };
  return new EmbeddedZone(tzid, referenceYear, listed, rules);
}

class EmbeddedZone implements Zone {
  readonly isKnown = true;
  private readonly years = new Map<number, Changes>();
  private name: string | undefined;

  constructor(
    private readonly tzid: string,
    private readonly referenceYear: number,
    private readonly listed: Changes,
    private readonly rules: readonly RuleChange[],
  ) {}

  /** IANA zone with the same offsets throughout the reference year, else the TZID. */
  get timeZone(): string {
    const { before, instants, offsets } = this.yearOf(this.referenceYear);
    return (this.name ??= equivalentZone(this.tzid, this.referenceYear, before, instants, offsets) ?? this.tzid);
  }

  toInstant(wallMs: number): number {
    // No zone changes its offset twice within two days, so only the offsets a day before and after are possible.
    const before = this.offsetAt(wallMs - DAY_MS);
    const after = this.offsetAt(wallMs + DAY_MS);
    if (before === after || this.offsetAt(wallMs - before) === before) return wallMs - before;
    return this.offsetAt(wallMs - after) === after ? wallMs - after : wallMs - before;
  }

  toWall(instantMs: number): number {
    return instantMs + this.offsetAt(instantMs);
  }

  private offsetAt(instantMs: number): number {
    const { before, instants, offsets } = this.yearOf(new Date(instantMs).getUTCFullYear());
    return offsets[upTo(instants, instantMs)] ?? before;
  }

  private yearOf(year: number): Changes {
    const known = this.years.get(year);
    if (known) return known;
    if (this.years.size >= MAX_YEARS) this.years.clear();
    const changes = this.readYear(year);
    this.years.set(year, changes);
    return changes;
  }

  private readYear(year: number): Changes {
    const start = new Date(0).setUTCFullYear(year, 0, 1);
    const end = new Date(0).setUTCFullYear(year + 1, 0, 1);
    const { instants, offsets } = this.listed;
    const onsets: { instant: number; offset: number }[] = [];
    for (let index = upTo(instants, start - 1) + 1; index < instants.length; index += 1) {
      const [instant = 0, offset = 0] = [instants[index], offsets[index]];
      if (instant >= end) break;
      onsets.push({ instant, offset });
    }
    for (const { rule, offsetFromMs, offsetToMs } of this.rules) {
      // By UTC an onset near 1 January may lie in the year before or after.
      for (const candidate of [year - 1, year, year + 1]) {
        for (const wallMs of rule.inYear(candidate)) {
          const instant = wallMs - offsetFromMs;
          if (instant >= start && instant < end) onsets.push({ instant, offset: offsetToMs });
        }
      }
    }
    onsets.sort((a, b) => a.instant - b.instant);
    const changes: Changes = { before: this.offsetBefore(start), instants: [], offsets: [] };
    for (const { instant, offset } of onsets) {
      if (offset === (changes.offsets.at(-1) ?? changes.before)) continue;
      changes.instants.push(instant);
      changes.offsets.push(offset);
    }
    return changes;
  }

  private offsetBefore(instantMs: number): number {
    const index = upTo(this.listed.instants, instantMs - 1);
    let latestInstant = this.listed.instants[index] ?? Number.NEGATIVE_INFINITY;
    let offset = this.listed.offsets[index] ?? this.listed.before;
    for (const { rule, offsetFromMs, offsetToMs } of this.rules) {
      const wallMs = rule.latestUpTo(instantMs - 1 + offsetFromMs);
      if (wallMs === null || wallMs - offsetFromMs < latestInstant) continue;
      latestInstant = wallMs - offsetFromMs;
      offset = offsetToMs;
    }
    return offset;
  }
}

/** Returns the index of the last instant at or before `instantMs`, else -1. */
function upTo(instants: readonly number[], instantMs: number): number {
  let low = 0;
  let high = instants.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((instants[middle] ?? 0) <= instantMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function rdates(observance: IcsComponent): number[] {
  return observance
    .propertiesNamed('RDATE')
    .slice(0, MAX_ONSETS)
    .flatMap((property) => property.value.slice(0, MAX_RDATES_LENGTH).split(','))
    .slice(0, MAX_ONSETS)
    .map((value) => parseTimeValue(value) ?? parsePeriod(value)?.start)
    .filter((time) => time !== undefined)
    .map(wallMsOf);
}

/** Offset in ms; null when missing, broken, or a day or more. */
function offsetOf(observance: IcsComponent, name: string): number | null {
  const match = OFFSET.exec(observance.property(name)?.value.trim() ?? '');
  if (!match) return null;
  const [, sign, hours, minutes, seconds = '0'] = match;
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  if (offset >= DAY_MS || Number(minutes) > 59) return null;
  return sign === '-' && offset !== 0 ? -offset : offset;
}
