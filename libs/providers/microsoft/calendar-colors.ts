import type { CalendarColor } from '@microsoft/microsoft-graph-types';

type NamedColor = Exclude<CalendarColor, 'auto' | 'maxColor'>;

/** Graph names colours and does not say how they look; these are ours for its names. */
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

/** `#RRGGBB` of a colour by Graph's name of it; null for `auto` and for names that are new. */
export function namedColor(name: unknown): string | null {
  return typeof name === 'string' && Object.hasOwn(PALETTE, name) ? PALETTE[name as NamedColor] : null;
}

/** Graph's name for the colour that looks most like one. @param hexColor `#RRGGBB` */
export function nearestColor(hexColor: string): NamedColor {
  const names = Object.keys(PALETTE) as NamedColor[];
  return names.reduce((best, name) =>
    distance(PALETTE[name], hexColor) < distance(PALETTE[best], hexColor) ? name : best,
  );
}

/** `#RRGGBB` in capitals of what Graph or somebody else wrote, with or without `#`; null for anything else. */
export function hexColorOf(value: unknown): string | null {
  const digits = typeof value === 'string' ? /^#?([0-9a-f]{6})$/i.exec(value)?.[1] : undefined;
  return digits === undefined ? null : `#${digits.toUpperCase()}`;
}

/** How far apart two colours look: https://www.compuphase.com/cmetric.htm */
function distance(one: string, other: string): number {
  const [r1, g1, b1] = channels(one);
  const [r2, g2, b2] = channels(other);
  const red = (r1 + r2) / 2;
  return (2 + red / 256) * (r1 - r2) ** 2 + 4 * (g1 - g2) ** 2 + (2 + (255 - red) / 256) * (b1 - b2) ** 2;
}

function channels(hexColor: string): [red: number, green: number, blue: number] {
  const number = Number.parseInt(hexColor.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}
