/** One change of a zone's clock. Offsets in seconds east of UTC. */
export interface ClockChange {
  instantMs: number;
  offsetFrom: number;
  offsetTo: number;
  /** Wall-clock time at which the old clock stops, as `Date.UTC` ms: the DTSTART of an observance. */
  wallMs: number;
}

/** Returns changes of an IANA zone with `fromMs <= instant < toMs`, ascending. Skips those that keep the offset. */
export function clockChanges(timeZone: string, fromMs: number, toMs: number): ClockChange[] {
  const changes: ClockChange[] = [];
  let time = zonedAt(timeZone, fromMs - 1);
  for (;;) {
    const next = time.getTimeZoneTransition('next');
    if (!next || next.epochMilliseconds >= toMs) return changes;
    const [offsetFrom, offsetTo] = [seconds(time), seconds(next)];
    if (offsetFrom !== offsetTo) {
      const instantMs = next.epochMilliseconds;
      changes.push({ instantMs, offsetFrom, offsetTo, wallMs: instantMs + offsetFrom * 1000 });
    }
    time = next;
  }
}

export function offsetAt(timeZone: string, instantMs: number): number {
  return seconds(zonedAt(timeZone, instantMs));
}

export function zonedAt(timeZone: string, instantMs: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timeZone);
}

function seconds(time: Temporal.ZonedDateTime): number {
  return time.offsetNanoseconds / 1e9;
}
