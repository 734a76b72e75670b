import type { calendar_v3 } from '@googleapis/calendar';
import { invalid, type EventInput, type ExtendedProperties } from '#domain';
import { recordOf, textOf } from '#providers/kit/events';

/** A private property of ours beside Google's colour: the exact colour asked for, and the id it was rounded to. */
export const EXACT_COLOR = 'ucal.color';

const COLOR_ID = /^(?:[1-9]|1[01])$/;
const HEX_COLOR = /^#[0-9a-f]{6}$/;

/** Ids of Google's event palette (`GET colors` → `event`) and what they look like, `#rrggbb`. */
export type EventPalette = ReadonlyMap<string, string>;

const PALETTE_KEPT_FOR_MS = 24 * 3_600_000;

/** Google's event palette: one for everybody, and all but constant. */
export class EventPalettes {
  private kept: { palette: EventPalette; untilMs: number } | null = null;

  constructor(private readonly nowMs: () => number) {}

  /** @param read asks Google for it */
  async find(read: () => Promise<calendar_v3.Schema$Colors>): Promise<EventPalette> {
    if (this.kept !== null && this.kept.untilMs > this.nowMs()) return this.kept.palette;
    const { event } = await read();
    const palette = new Map(
      Object.entries(recordOf(event)).flatMap(([id, color]): [string, string][] => {
        const background = textOf(recordOf(color)['background'])?.toLowerCase() ?? '';
        return HEX_COLOR.test(background) ? [[id, background]] : [];
      }),
    );
    if (palette.size > 0) this.kept = { palette, untilMs: this.nowMs() + PALETTE_KEPT_FOR_MS };
    return palette;
  }
}

/** What a write says about the colour of an event. */
export interface ColorChange {
  /** null: the calendar's colour. */
  colorId: string | null;
  /** Value of {@link EXACT_COLOR}; null: none. */
  exact: string | null;
}

/** The exact colour counts as long as the event still has the colour it was rounded to: others change that one alone. */
export function readColors(
  colorId: unknown,
  privateProperties: ExtendedProperties,
): { colorId?: string; customColor?: string } {
  if (typeof colorId !== 'string' || !COLOR_ID.test(colorId)) return {};
  const [hex = '', roundedTo] = (privateProperties[EXACT_COLOR] ?? '').split(' ');
  return { colorId, ...(HEX_COLOR.test(hex) && roundedTo === colorId && { customColor: hex }) };
}

/**
 * Of the two ways to say a colour the one that differs from what the event has counts: callers send back what they
 * read. With both, the event has the palette's and remembers the other.
 * @param current as {@link readColors} gives it
 * @param palette asked only for a colour that has to be rounded
 * @returns null when nothing changes
 * @throws DomainError ValidationFailed
 */
export async function changedColor(
  { colorId, customColor }: EventInput,
  current: { colorId?: string; customColor?: string },
  palette: () => Promise<EventPalette>,
): Promise<ColorChange | null> {
  if (colorId !== undefined && colorId !== null && !COLOR_ID.test(colorId))
    throw invalid('colorId', 'must be "1" to "11"');
  const hex = customColor?.toLowerCase() ?? customColor;
  if (hex !== undefined && hex !== null && !HEX_COLOR.test(hex)) {
    throw invalid('customColor', 'must be a colour written #rrggbb');
  }
  const newId = colorId !== undefined && (colorId ?? undefined) !== current.colorId ? colorId : undefined;
  const newHex = hex !== undefined && (hex ?? undefined) !== current.customColor ? hex : undefined;
  if (newId === undefined && newHex === undefined) return null;
  if (newHex === undefined || newHex === null) return { colorId: newId ?? null, exact: null };
  const rounded = newId ?? nearestColor(newHex, await palette());
  return { colorId: rounded, exact: rounded === null ? null : `${newHex} ${rounded}` };
}

/** Euclidean in RGB; the first one where two are equal. null for an empty palette. */
function nearestColor(hex: string, palette: EventPalette): string | null {
  const [red, green, blue] = channels(hex);
  let nearest: string | null = null;
  let smallest = Number.POSITIVE_INFINITY;
  for (const [id, candidate] of palette) {
    const [r, g, b] = channels(candidate);
    const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    if (distance < smallest) [nearest, smallest] = [id, distance];
  }
  return nearest;
}

function channels(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}
