import { invalid, type EventInput } from '#domain';
import { type EditableComponent, type IcsComponent } from '#icalendar';
import { CSS_COLORS, nearestCssColor } from './css-colors.js';

const EXACT = 'X-UCAL-COLOR';
const PALETTE_ID = 'X-UCAL-COLOR-ID';

/** Google's event palette (`GET colors` → `event`, modern set): what colorId "1" to "11" stands for everywhere. */
const PALETTE: ReadonlyMap<string, string> = new Map([
  ['1', '#7986cb'],
  ['2', '#33b679'],
  ['3', '#8e24aa'],
  ['4', '#e67c73'],
  ['5', '#f6bf26'],
  ['6', '#f4511e'],
  ['7', '#039be5'],
  ['8', '#616161'],
  ['9', '#3f51b5'],
  ['10', '#0b8043'],
  ['11', '#d50000'],
]);

/**
 * COLOR holds only CSS 3 names, so the exact colour stands in a line of ours beside it. That line counts as long as
 * COLOR is still the name nearest to it: another client that recolours the event changes COLOR alone.
 */
export function readColors(event: IcsComponent): { colorId?: string; customColor?: string } {
  const name = event.property('COLOR')?.value.trim().toLowerCase();
  const named = name === undefined ? undefined : CSS_COLORS.get(name);
  if (name === undefined || named === undefined) return {};
  const exact = event.property(EXACT)?.value.trim().toLowerCase();
  if (exact === undefined || !isHexColor(exact) || CSS_COLORS.get(nearestCssColor(exact)) !== named) {
    return { customColor: named };
  }
  const colorId = event.property(PALETTE_ID)?.value.trim();
  const palette = colorId === undefined ? undefined : PALETTE.get(colorId);
  if (palette === undefined) return { customColor: exact };
  // A colour that only stands for the id is not a custom one: sent back with another id it would contradict that.
  return palette === exact ? { colorId } : { colorId, customColor: exact };
}

/** @throws DomainError ValidationFailed */
export function writeColors(event: EditableComponent, { colorId, customColor }: EventInput): void {
  if (colorId !== undefined && colorId !== null && !PALETTE.has(colorId))
    throw invalid('colorId', 'must be "1" to "11"');
  if (customColor !== undefined && customColor !== null && !isHexColor(customColor.toLowerCase())) {
    throw invalid('customColor', 'must be a colour written #rrggbb');
  }
  if (colorId === undefined && customColor === undefined) return;
  const current = readColors(event);
  const next = nextColors(current, colorId, customColor?.toLowerCase() ?? customColor);
  if (next.colorId === current.colorId && next.customColor === current.customColor) return;
  const hex = next.customColor ?? (next.colorId === undefined ? undefined : PALETTE.get(next.colorId));
  for (const name of [EXACT, PALETTE_ID]) event.removeProperties(name);
  if (hex === undefined) {
    event.removeProperties('COLOR');
    return;
  }
  event.setProperty('COLOR', nearestCssColor(hex), {});
  event.setProperty(EXACT, hex);
  if (next.colorId !== undefined) event.setProperty(PALETTE_ID, next.colorId);
}

/**
 * Of the two ways to say a colour the one that differs from what the event has counts, since callers send back what they
 * read; both together are both kept.
 */
function nextColors(
  current: { colorId?: string; customColor?: string },
  askedId: string | null | undefined,
  askedColor: string | null | undefined,
): { colorId?: string; customColor?: string } {
  const colorId = askedId === current.colorId ? undefined : askedId;
  const customColor = askedColor === current.customColor ? undefined : askedColor;
  const next = {
    colorId: colorId === undefined ? current.colorId : (colorId ?? undefined),
    customColor: customColor === undefined ? current.customColor : (customColor ?? undefined),
  };
  if (colorId !== undefined && colorId !== null && customColor === undefined) return { colorId: next.colorId };
  if (customColor !== undefined && customColor !== null && colorId === undefined)
    return { customColor: next.customColor };
  return next;
}

function isHexColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/.test(text);
}
