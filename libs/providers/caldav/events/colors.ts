import type { EventInput } from '#domain/events';
import { invalid } from '#domain/system';
import type { EditableComponent, IcsComponent } from '#icalendar';
import { fallbackColor } from '#providers/kit/events';

/** CSS 3 colour keywords (the value space of COLOR, RFC 7986 §5.9) → `#rrggbb`. */
const CSS_COLORS: ReadonlyMap<string, string> = new Map(
  (
    'aliceblue f0f8ff,antiquewhite faebd7,aqua 00ffff,aquamarine 7fffd4,azure f0ffff,beige f5f5dc,bisque ffe4c4,' +
    'black 000000,blanchedalmond ffebcd,blue 0000ff,blueviolet 8a2be2,brown a52a2a,burlywood deb887,cadetblue 5f9ea0,' +
    'chartreuse 7fff00,chocolate d2691e,coral ff7f50,cornflowerblue 6495ed,cornsilk fff8dc,crimson dc143c,cyan 00ffff,' +
    'darkblue 00008b,darkcyan 008b8b,darkgoldenrod b8860b,darkgray a9a9a9,darkgreen 006400,darkgrey a9a9a9,' +
    'darkkhaki bdb76b,darkmagenta 8b008b,darkolivegreen 556b2f,darkorange ff8c00,darkorchid 9932cc,darkred 8b0000,' +
    'darksalmon e9967a,darkseagreen 8fbc8f,darkslateblue 483d8b,darkslategray 2f4f4f,darkslategrey 2f4f4f,' +
    'darkturquoise 00ced1,darkviolet 9400d3,deeppink ff1493,deepskyblue 00bfff,dimgray 696969,dimgrey 696969,' +
    'dodgerblue 1e90ff,firebrick b22222,floralwhite fffaf0,forestgreen 228b22,fuchsia ff00ff,gainsboro dcdcdc,' +
    'ghostwhite f8f8ff,gold ffd700,goldenrod daa520,gray 808080,green 008000,greenyellow adff2f,grey 808080,' +
    'honeydew f0fff0,hotpink ff69b4,indianred cd5c5c,indigo 4b0082,ivory fffff0,khaki f0e68c,lavender e6e6fa,' +
    'lavenderblush fff0f5,lawngreen 7cfc00,lemonchiffon fffacd,lightblue add8e6,lightcoral f08080,lightcyan e0ffff,' +
    'lightgoldenrodyellow fafad2,lightgray d3d3d3,lightgreen 90ee90,lightgrey d3d3d3,lightpink ffb6c1,' +
    'lightsalmon ffa07a,lightseagreen 20b2aa,lightskyblue 87cefa,lightslategray 778899,lightslategrey 778899,' +
    'lightsteelblue b0c4de,lightyellow ffffe0,lime 00ff00,limegreen 32cd32,linen faf0e6,magenta ff00ff,maroon 800000,' +
    'mediumaquamarine 66cdaa,mediumblue 0000cd,mediumorchid ba55d3,mediumpurple 9370db,mediumseagreen 3cb371,' +
    'mediumslateblue 7b68ee,mediumspringgreen 00fa9a,mediumturquoise 48d1cc,mediumvioletred c71585,' +
    'midnightblue 191970,mintcream f5fffa,mistyrose ffe4e1,moccasin ffe4b5,navajowhite ffdead,navy 000080,' +
    'oldlace fdf5e6,olive 808000,olivedrab 6b8e23,orange ffa500,orangered ff4500,orchid da70d6,palegoldenrod eee8aa,' +
    'palegreen 98fb98,paleturquoise afeeee,palevioletred db7093,papayawhip ffefd5,peachpuff ffdab9,peru cd853f,' +
    'pink ffc0cb,plum dda0dd,powderblue b0e0e6,purple 800080,red ff0000,rosybrown bc8f8f,royalblue 4169e1,' +
    'saddlebrown 8b4513,salmon fa8072,sandybrown f4a460,seagreen 2e8b57,seashell fff5ee,sienna a0522d,silver c0c0c0,' +
    'skyblue 87ceeb,slateblue 6a5acd,slategray 708090,slategrey 708090,snow fffafa,springgreen 00ff7f,' +
    'steelblue 4682b4,tan d2b48c,teal 008080,thistle d8bfd8,tomato ff6347,turquoise 40e0d0,violet ee82ee,wheat f5deb3,' +
    'white ffffff,whitesmoke f5f5f5,yellow ffff00,yellowgreen 9acd32'
  )
    .split(',')
    .map((entry) => entry.split(' '))
    .map(([name = '', hex = '']): [string, string] => [name, `#${hex}`]),
);

/** Returns the keyword nearest to `#rrggbb` (Euclidean in RGB); the first one in the table on a tie. */
function nearestCssColor(hex: string): string {
  const [red, green, blue] = channels(hex);
  let nearest = 'black';
  let smallest = Number.POSITIVE_INFINITY;
  for (const [name, candidate] of CSS_COLORS) {
    const [r, g, b] = channels(candidate);
    const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    if (distance < smallest) [nearest, smallest] = [name, distance];
  }
  return nearest;
}

function channels(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

const CALENDAR_PALETTE = [
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

/** Converts `#RRGGBBAA`, `#RRGGBB`, `#RGB`, `#RGBA` or a CSS keyword to `#RRGGBB`; null for anything else. */
export function hexColorOf(color: string): string | null {
  const value = color.trim().toLowerCase();
  const digits = /^#?([0-9a-f]{3,8})$/.exec(value)?.[1];
  if (digits?.length === 6 || digits?.length === 8) return `#${digits.slice(0, 6)}`.toUpperCase();
  if (digits !== undefined && digits.length <= 4) return `#${digits.slice(0, 3).replace(/./g, '$&$&')}`.toUpperCase();
  return CSS_COLORS.get(value)?.toUpperCase() ?? null;
}

export function paletteColor(calendarId: string): string {
  return fallbackColor(calendarId, CALENDAR_PALETTE);
}

const EXACT = 'X-UCAL-COLOR';
const PALETTE_ID = 'X-UCAL-COLOR-ID';

/** Google's event palette (`GET colors` → `event`, modern set): colorId "1" to "11" for every provider. */
const EVENT_PALETTE: ReadonlyMap<string, string> = new Map([
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
 * COLOR holds only CSS 3 names, so an own property stores the exact colour. It counts while COLOR is still its nearest
 * name, because another client that recolours the event changes only COLOR.
 */
export function readColors(event: IcsComponent): { colorId?: string; customColor?: string } {
  const named = CSS_COLORS.get(event.property('COLOR')?.value.trim().toLowerCase() ?? '');
  if (named === undefined) return {};
  const exact = event.property(EXACT)?.value.trim().toLowerCase();
  if (exact === undefined || !isHexColor(exact) || CSS_COLORS.get(nearestCssColor(exact)) !== named) {
    return { customColor: named };
  }
  const colorId = event.property(PALETTE_ID)?.value.trim() ?? '';
  const palette = EVENT_PALETTE.get(colorId);
  if (palette === undefined) return { customColor: exact };
  // A colour that follows from the id is no custom one: sent back with another id it would contradict that id.
  return palette === exact ? { colorId } : { colorId, customColor: exact };
}

export function writeColors(event: EditableComponent, { colorId, customColor }: EventInput): void {
  if (colorId != null && !EVENT_PALETTE.has(colorId)) throw invalid('colorId', 'must be "1" to "11"');
  if (customColor != null && !isHexColor(customColor.toLowerCase())) {
    throw invalid('customColor', 'must be a colour written #rrggbb');
  }
  if (colorId === undefined && customColor === undefined) return;
  const current = readColors(event);
  const next = nextColors(current, colorId, customColor?.toLowerCase() ?? customColor);
  if (next.colorId === current.colorId && next.customColor === current.customColor) return;
  const hex = next.customColor ?? EVENT_PALETTE.get(next.colorId ?? '');
  for (const name of [EXACT, PALETTE_ID]) event.removeProperties(name);
  if (hex === undefined) return event.removeProperties('COLOR');
  event.setProperty('COLOR', nearestCssColor(hex), {});
  event.setProperty(EXACT, hex);
  if (next.colorId !== undefined) event.setProperty(PALETTE_ID, next.colorId);
}

/** Callers send back both values they read, so the changed one wins. If both changed, both apply. */
function nextColors(
  current: { colorId?: string; customColor?: string },
  askedId: string | null | undefined,
  askedColor: string | null | undefined,
): { colorId?: string; customColor?: string } {
  const colorId = askedId === current.colorId ? undefined : askedId;
  const customColor = askedColor === current.customColor ? undefined : askedColor;
  if (colorId != null && customColor === undefined) return { colorId };
  if (customColor != null && colorId === undefined) return { customColor };
  return {
    colorId: colorId === undefined ? current.colorId : (colorId ?? undefined),
    customColor: customColor === undefined ? current.customColor : (customColor ?? undefined),
  };
}

function isHexColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/.test(text);
}
