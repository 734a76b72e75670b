import { createHash } from 'node:crypto';

/** The colour of a calendar that has none: the same for the same calendar, always. */
export function usualColor(calendarId: string, palette: readonly [string, ...string[]]): string {
  const number = createHash('sha256').update(calendarId).digest().readUInt32BE(0);
  return palette[number % palette.length] ?? palette[0];
}
