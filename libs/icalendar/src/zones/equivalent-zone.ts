import { clockChanges, offsetAt } from './clock-changes.js';
import { tzDatabaseZone, tzDatabaseZones, WINDOWS_ZONES } from './zone-names.js';

/** An index takes milliseconds to build, and calendars need few years. */
const MAX_YEARS = 8;
/** First choice among zones with the same offsets: the best known ones. */
const PREFERRED = [
  'Europe/London',
  'Europe/Berlin',
  'Europe/Athens',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
  'Asia/Kolkata',
  'Asia/Tokyo',
  'Australia/Sydney',
];

/** Offsets of a year as one string → zones that have them, preferred ones first. */
type YearIndex = Map<string, string[]>;
const indexes = new Map<number, YearIndex>();
let candidates: string[] | undefined;

/**
 * Returns an IANA zone with the given offsets throughout a year. Prefers one whose place the TZID names, then a
 * well-known one. Zones without clock changes are indistinguishable and get an `Etc/GMT` name.
 * @param before offset at the start of the year, ms
 * @returns null without a match
 */
export function equivalentZone(
  tzid: string,
  year: number,
  before: number,
  instants: readonly number[],
  offsets: readonly number[],
): string | null {
  const signature = signatureOf(before, instants, offsets);
  const zones = indexOf(year).get(signature);
  if (!zones) return null;
  const written = tzid.toLowerCase();
  const named = zones.find((zone) => written.includes(placeOf(zone)));
  return named ?? zones[0] ?? null;
}

function indexOf(year: number): YearIndex {
  const known = indexes.get(year);
  if (known) return known;
  const start = new Date(0).setUTCFullYear(year, 0, 1);
  const end = new Date(0).setUTCFullYear(year + 1, 0, 1);
  const index: YearIndex = new Map();
  for (const zone of (candidates ??= rankedZones())) {
    const signature = yearOf(zone, start, end);
    const same = index.get(signature);
    if (same) same.push(zone);
    else index.set(signature, [zone]);
  }
  if (indexes.size >= MAX_YEARS) indexes.clear();
  indexes.set(year, index);
  return index;
}

function yearOf(zone: string, startMs: number, endMs: number): string {
  const changes = clockChanges(zone, startMs, endMs);
  const instants = changes.map(({ instantMs }) => instantMs);
  return signatureOf(
    offsetAt(zone, startMs - 1) * 1000,
    instants,
    changes.map(({ offsetTo }) => offsetTo * 1000),
  );
}

function signatureOf(before: number, instants: readonly number[], offsets: readonly number[]): string {
  return `${before}|${instants.join()}|${offsets.join()}`;
}

function rankedZones(): string[] {
  const hours = Array.from({ length: 27 }, (_, index) => index - 14).filter((hour) => hour !== 0);
  const fixed = hours.map((hour) => `Etc/GMT${hour < 0 ? '' : '+'}${hour}`);
  const windows = [...WINDOWS_ZONES.values()].map(([ofFixture = '']) => tzDatabaseZone(ofFixture));
  const ranked = ['UTC', ...fixed, ...PREFERRED, ...windows, ...tzDatabaseZones()];
  return [...new Set(ranked.filter((zone) => zone !== null))];
}

/** `Europe/Isle_of_Man` → `isle of man`. */
function placeOf(zone: string): string {
  return zone
    .slice(zone.lastIndexOf('/') + 1)
    .replaceAll('_', ' ')
    .toLowerCase();
}
