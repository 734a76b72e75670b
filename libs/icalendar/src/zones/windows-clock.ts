import { clockChanges, offsetAt } from './clock-changes.js';
import { tzDatabaseZone, WINDOWS_ZONES, windowsZoneName } from './zone-names.js';

/** Earlier clocks do not count: Windows itself knows few of them. */
const SINCE_MS = Date.UTC(2024, 0, 1);
/** Rules without an end repeat long before. */
const UNTIL_MS = Date.UTC(2050, 0, 1);

interface WindowsClock {
  name: string;
  /** Instant from which it agrees with the zone. */
  sinceMs: number;
}

/** Zone → names that agree with it from some instant on, CLDR's first. */
const clocks = new Map<string, readonly WindowsClock[]>();

/**
 * Returns the Windows name whose clock shows the times of an IANA zone from an instant on. CLDR's name does not when a
 * place has changed its rules since (`America/Scoresbysund`, `America/Vancouver`): then another one may.
 * @returns null without such a name, also for an unknown zone
 */
export function windowsClockName(zone: string, fromMs: number): string | null {
  const id = tzDatabaseZone(zone);
  if (id === null) return null;
  return clocksOf(id).find(({ sinceMs }) => sinceMs <= Math.max(fromMs, SINCE_MS))?.name ?? null;
}

function clocksOf(zone: string): readonly WindowsClock[] {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const mapped = windowsZoneName(zone);
  const found = mapped === null ? [] : clockNamed(mapped, zone);
  if (mapped !== null && found[0]?.sinceMs !== SINCE_MS) {
    for (const name of WINDOWS_ZONES.keys()) if (name !== mapped) found.push(...clockNamed(name, zone));
  }
  clocks.set(zone, found);
  return found;
}

function clockNamed(name: string, zone: string): WindowsClock[] {
  const main = tzDatabaseZone(WINDOWS_ZONES.get(name)?.[0] ?? '');
  const sinceMs = main === null ? null : agreeingSince(main, zone);
  return sinceMs === null ? [] : [{ name, sinceMs }];
}

/** Returns the instant after which two zones never differ; null when they differ at the end. */
function agreeingSince(one: string, other: string): number | null {
  if (one === other) return SINCE_MS;
  const changes = [one, other].flatMap((zone) => clockChanges(zone, SINCE_MS, UNTIL_MS));
  const instants = [SINCE_MS, ...changes.map(({ instantMs }) => instantMs)].sort((a, b) => b - a);
  let sinceMs: number | null = null;
  for (const instantMs of instants) {
    if (offsetAt(one, instantMs) !== offsetAt(other, instantMs)) return sinceMs;
    sinceMs = instantMs;
  }
  return sinceMs;
}
