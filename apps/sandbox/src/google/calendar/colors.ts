/** Palettes of https://developers.google.com/workspace/calendar/api/v3/reference/colors, background by id. */
const CALENDAR_BACKGROUNDS = [
  '#ac725e',
  '#d06b64',
  '#f83a22',
  '#fa573c',
  '#ff7537',
  '#ffad46',
  '#42d692',
  '#16a765',
  '#7bd148',
  '#b3dc6c',
  '#fbe983',
  '#fad165',
  '#92e1c0',
  '#9fe1e7',
  '#9fc6e7',
  '#4986e7',
  '#9a9cff',
  '#b99aff',
  '#c2c2c2',
  '#cabdbf',
  '#cca6ac',
  '#f691b2',
  '#cd74e6',
  '#a47ae2',
];
const EVENT_BACKGROUNDS = [
  '#a4bdfc',
  '#7ae7bf',
  '#dbadff',
  '#ff887c',
  '#fbd75b',
  '#ffb878',
  '#46d6db',
  '#e1e1e1',
  '#5484ed',
  '#51b749',
  '#dc2127',
];
const FOREGROUND = '#1d1d1d';
const UPDATED = '2012-02-14T00:00:00.000Z';

export const COLORS = {
  kind: 'calendar#colors',
  updated: UPDATED,
  calendar: paletteOf(CALENDAR_BACKGROUNDS),
  event: paletteOf(EVENT_BACKGROUNDS),
};

export interface CalendarColors {
  colorId: string;
  backgroundColor: string;
  foregroundColor: string;
}

/** Returns the colours of a palette id; null for an unknown id. */
export function colorsOfId(colorId: string): CalendarColors | null {
  const backgroundColor = /^\d{1,2}$/.test(colorId) ? CALENDAR_BACKGROUNDS[Number(colorId) - 1] : undefined;
  return backgroundColor === undefined ? null : { colorId, backgroundColor, foregroundColor: '#000000' };
}

/** Returns the colours of a user's `count`th calendar. */
export function nextColors(count: number): CalendarColors {
  return colorsOfId(String(((count * 7 + 13) % CALENDAR_BACKGROUNDS.length) + 1))!;
}

/** Returns the palette id nearest to a colour. */
export function nearestColorId(backgroundColor: string): string {
  const distances = CALENDAR_BACKGROUNDS.map((candidate) => distance(candidate, backgroundColor));
  return String(distances.indexOf(Math.min(...distances)) + 1);
}

export function isRgb(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

function distance(a: string, b: string): number {
  const channels = (color: string) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  const other = channels(b);
  return channels(a).reduce((sum, value, index) => sum + (value - other[index]!) ** 2, 0);
}

function paletteOf(backgrounds: readonly string[]) {
  return Object.fromEntries(
    backgrounds.map((background, index) => [String(index + 1), { background, foreground: FOREGROUND }]),
  );
}
