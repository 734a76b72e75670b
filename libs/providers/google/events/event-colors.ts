import type { calendar_v3 } from '@googleapis/calendar';
import type { EventInput, ExtendedProperties } from '#domain/events';
import { invalid } from '#domain/system';
import { channelsOf, recordOf, textOf } from '#providers/kit/events';

/** Our private property for the exact colour and the id of the palette colour that it was rounded to. */
export const EXACT_COLOR = 'ucal.color';

const COLOR_ID = /^(?:[1-9]|1[01])$/;
const HEX_COLOR = /^#[0-9a-f]{6}$/;

/** Id of Google's event palette (`GET colors` → `event`) → `#rrggbb`. */
export type EventPalette = ReadonlyMap<string, string>;

const PALETTE_KEPT_FOR_MS = 24 * 3_600_000;

export class EventPalettes {
  private kept: { palette: EventPalette; untilMs: number } | null = null;

  constructor(private readonly nowMs: () => number) {}

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

/** The exact colour counts until another client chooses another palette colour. */
export function readColors(
  colorId: unknown,
  privateProperties: ExtendedProperties,
): { colorId?: string; customColor?: string } {
  if (typeof colorId !== 'string' || !COLOR_ID.test(colorId)) return {};
  const [hex = '', roundedTo] = (privateProperties[EXACT_COLOR] ?? '').split(' ');
  return { colorId, ...(HEX_COLOR.test(hex) && roundedTo === colorId && { customColor: hex }) };
}

/**
 * Callers send back both colours, so the changed one counts. When both change, the event gets the palette's and stores
 * the exact one.
 * @param palette read only to round a colour
 * @returns null when nothing changes; `colorId` null for the calendar's colour; `exact` for {@link EXACT_COLOR}
 * @throws DomainError ValidationFailed
 */
export async function changedColor(
  { colorId, customColor }: EventInput,
  current: { colorId?: string; customColor?: string },
  palette: () => Promise<EventPalette>,
): Promise<{ colorId: string | null; exact: string | null } | null> {
  if (colorId !== undefined && colorId !== null && !COLOR_ID.test(colorId)) {
    throw invalid('colorId', 'must be "1" to "11"');
  }
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

function nearestColor(hex: string, palette: EventPalette): string | null {
  const [red, green, blue] = channelsOf(hex);
  const distances = [...palette].map(([id, candidate]) => {
    const [r, g, b] = channelsOf(candidate);
    return { id, distance: (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2 };
  });
  return distances.sort((one, other) => one.distance - other.distance)[0]?.id ?? null;
}
