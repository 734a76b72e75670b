/** A civil date taken apart. */
export interface CivilDay {
  year: number;
  /** From 1. */
  month: number;
  day: number;
  /** Monday is 0. */
  weekday: number;
  /** `YYYY-MM-DD` */
  date: string;
}

const DAY_MS = 86_400_000;

/** @param date `YYYY-MM-DD`, or something that starts with it */
export function civilDay(date: string): CivilDay {
  return dayAt(Date.parse(`${date.slice(0, 10)}T00:00:00Z`));
}

export function addDays({ date }: CivilDay, days: number): CivilDay {
  return dayAt(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS);
}

/** Days from one date to another. */
export function daysBetween(from: CivilDay, to: CivilDay): number {
  return Math.round((Date.parse(`${to.date}T00:00:00Z`) - Date.parse(`${from.date}T00:00:00Z`)) / DAY_MS);
}

/** How many days a month has; of February in a leap year when no year is given. */
export function daysInMonth(month: number, year = 2_000): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function dayAt(ms: number): CivilDay {
  const at = new Date(ms);
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    weekday: (at.getUTCDay() + 6) % 7,
    date: at.toISOString().slice(0, 10),
  };
}
