import type { CalendarColor } from '@microsoft/microsoft-graph-types';
import { channelsOf } from '#providers/kit/events';

type NamedColor = Exclude<CalendarColor, 'auto' | 'maxColor'>;

/** Graph does not say how its named colours look: these shades are ours. */
const PALETTE: Readonly<Record<NamedColor, string>> = {
  lightBlue: '#4A90E2',
  lightGreen: '#5CB85C',
  lightOrange: '#F0883A',
  lightGray: '#8A8F98',
  lightYellow: '#E8C547',
  lightTeal: '#2FB5AC',
  lightPink: '#E26AA5',
  lightBrown: '#A5744A',
  lightRed: '#E05555',
};

export const SHADES = Object.values(PALETTE) as [string, ...string[]];

/** `#RRGGBB` of Graph's name for a colour; null for `auto` and for new names. */
export function namedColor(name: unknown): string | null {
  return typeof name === 'string' && Object.hasOwn(PALETTE, name) ? PALETTE[name as NamedColor] : null;
}

/** Graph's name for the most similar colour. @param hexColor `#RRGGBB` */
export function nearestColor(hexColor: string): NamedColor {
  const names = Object.keys(PALETTE) as NamedColor[];
  return names.reduce((best, name) =>
    distance(PALETTE[name], hexColor) < distance(PALETTE[best], hexColor) ? name : best,
  );
}

/** `#RRGGBB` in capitals of a colour with or without `#`; null for anything else. */
export function hexColorOf(value: unknown): string | null {
  const digits = typeof value === 'string' ? /^#?([0-9a-f]{6})$/i.exec(value)?.[1] : undefined;
  return digits === undefined ? null : `#${digits.toUpperCase()}`;
}

/** How far apart two colours look: https://www.compuphase.com/cmetric.htm */
function distance(one: string, other: string): number {
  const [r1, g1, b1] = channelsOf(one);
  const [r2, g2, b2] = channelsOf(other);
  const red = (r1 + r2) / 2;
  return (2 + red / 256) * (r1 - r2) ** 2 + 4 * (g1 - g2) ** 2 + (2 + (255 - red) / 256) * (b1 - b2) ** 2;
}
