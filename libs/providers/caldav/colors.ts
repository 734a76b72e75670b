import { usualColor } from '#providers/kit/events';
import { CSS_COLORS } from './events/css-colors.js';

/** Shown for calendars that have no colour of their own: far apart from each other, readable under white text. */
const PALETTE = [
  '#1A73E8',
  '#D93025',
  '#188038',
  '#E37400',
  '#9334E6',
  '#007B83',
  '#C2185B',
  '#5F6368',
  '#3F51B5',
  '#795548',
  '#689F38',
  '#D81B60',
] as const;

/** `#RRGGBB` of what servers write: `#RRGGBBAA`, `#RRGGBB`, `#RGB`, `#RGBA`, or a CSS word; null for anything else. */
export function hexColorOf(color: string): string | null {
  const value = color.trim().toLowerCase();
  const digits = /^#?([0-9a-f]{3,8})$/.exec(value)?.[1];
  if (digits !== undefined && (digits.length === 6 || digits.length === 8))
    return `#${digits.slice(0, 6)}`.toUpperCase();
  if (digits !== undefined && digits.length <= 4) {
    return `#${[...digits.slice(0, 3)].map((digit) => digit + digit).join('')}`.toUpperCase();
  }
  return CSS_COLORS.get(value)?.toUpperCase() ?? null;
}

/** The same colour for the same calendar, always. */
export function paletteColor(calendarId: string): string {
  return usualColor(calendarId, PALETTE);
}

/** Always eight digits: SOGo refuses six. */
export function davColor(hexColor: string): string {
  return `${hexColor}FF`;
}
