const COUNTS = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHARES = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

export function count(value: number): string {
  return COUNTS.format(value);
}

/** Returns 0% for 0 of 0. */
export function share(part: number, whole: number): string {
  return SHARES.format(whole === 0 ? 0 : part / whole);
}

/** For example `850 ms`, `1.2 s`, `15 s`. */
export function milliseconds(value: number): string {
  if (value < 999.5) return `${Math.round(value)} ms`;
  const seconds = value / 1000;
  return seconds < 9.95 ? `${(Math.round(seconds * 10) / 10).toString()} s` : `${Math.round(seconds)} s`;
}

/** Uses the two largest units: `12 s`, `3 min`, `2 h 5 min`, `4 d 3 h`. */
export function seconds(value: number): string {
  if (value < 60) return `${Math.floor(value)} s`;
  const minutes = Math.floor(value / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? pair(hours, 'h', minutes % 60, 'min') : pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
