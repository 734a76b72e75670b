/** A reading of a clock, Berlin's unless told otherwise. */
export function at(dateTime: string, timeZone = 'Europe/Berlin') {
  return { dateTime, timeZone };
}

/** One hour of a day in Berlin. */
export function hour(date: string, start = 10) {
  const clock = (value: number) => at(`${date}T${String(value).padStart(2, '0')}:00:00`);
  return { start: clock(start), end: clock(start + 1) };
}

/** All of 2027, one by one, in order. */
export const YEAR = {
  expandRecurrences: true,
  startDateTime: '2027-01-01T00:00:00Z',
  endDateTime: '2028-01-01T00:00:00Z',
  orderBy: 'startDateTime',
};
