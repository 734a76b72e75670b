import type { ItemBody } from '@microsoft/microsoft-graph-types';
import { recordOf, textOf } from '#providers/kit/events';

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
/** Line that Teams writes above the invitation in a body. */
const RULE = /_{20,}/g;
const DOCTYPE = /^<!doctype[^<>]*>\s*/i;
const TAG = /<(\/?)([a-z][a-z0-9]*)(?:[\s/][^<>]*)?>/gi;
const VOID = new Set(['br', 'hr', 'img', 'link', 'meta']);
const ELEMENTS = new Set(
  (
    'a b big blockquote body center code div em font h1 h2 h3 h4 h5 h6 head html i li ol p pre s small span strike ' +
    'strong style sub sup table tbody td tfoot th thead title tr u ul'
  ).split(' '),
);

/** Elements that plain text cannot express. Outlook wraps every text in others. */
const FORMATTING = /<(?:a|b|blockquote|em|font|h[1-6]|i|img|li|strong|table|u)[\s/>]/i;

/** Returns the text of a body without the invitation of its meeting. */
export function readBody(body: unknown, joinUrl: string | undefined): string {
  const { content, contentType } = recordOf(body);
  const whole = textOf(content) ?? '';
  const { own } = splitConferenceBlock(whole, joinUrl);
  const text = contentType === 'html' ? htmlToText(own) : own.replaceAll('\r\n', '\n');
  return withoutLastBreaks(text);
}

/** HTML only for a text that is markup as a whole, because a text may mention tags. */
export function writtenBody(description: string): ItemBody {
  return { contentType: isMarkup(description) ? 'html' : 'text', content: description };
}

/** Returns a formatted body without its meeting's invitation; null when plain text is equivalent. */
export function formattedBody(body: unknown, joinUrl: string | undefined): ItemBody | null {
  const { content, contentType } = recordOf(body);
  const { own } = splitConferenceBlock(textOf(content) ?? '', joinUrl);
  return contentType === 'html' && FORMATTING.test(own) ? { contentType: 'html', content: own } : null;
}

/** Keeps the invitation, whose removal disables the meeting (https://learn.microsoft.com/graph/api/event-update). */
export function replacedAboveConferenceBlock(body: unknown, joinUrl: string, wanted: ItemBody): ItemBody {
  const { content, contentType } = recordOf(body);
  const { invitation } = splitConferenceBlock(textOf(content) ?? '', joinUrl);
  const description = wanted.content ?? '';
  if (contentType !== 'html') return { contentType: 'text', content: `${description}\r\n${invitation}` };
  const own = wanted.contentType === 'html' ? withinBody(description) : textToHtml(description);
  return { contentType: 'html', content: `<html><body>${own}${invitation}` };
}

function withinBody(html: string): string {
  const from = /<body(?:\s[^<>]*)?>/i.exec(html);
  const content = from === null ? html : html.slice(from.index + from[0].length);
  const end = content.search(/<\/body\s*>/i);
  return end === -1 ? content : content.slice(0, end);
}

/** Elements must also close in order. */
function isMarkup(text: string): boolean {
  const markup = text.trim().replace(DOCTYPE, '');
  const tags = [...markup.matchAll(TAG)];
  const last = tags.at(-1);
  if (last === undefined || tags[0]?.index !== 0 || last.index + last[0].length !== markup.length) return false;
  const open: string[] = [];
  let elements = 0;
  for (const [, slash, written = ''] of tags) {
    const name = written.toLowerCase();
    if (VOID.has(name)) continue;
    if (slash === '') {
      if (!ELEMENTS.has(name)) return false;
      elements += 1;
      open.push(name);
    } else if (open.pop() !== name) return false;
  }
  return elements > 0 && open.length === 0;
}

function splitConferenceBlock(content: string, joinUrl: string | undefined): { own: string; invitation: string } {
  const at = joinUrl === undefined ? -1 : placeOf(content, joinUrl);
  if (at === -1) return { own: content, invitation: '' };
  const rule = [...content.slice(0, at).matchAll(RULE)].at(-1)?.index;
  const block = content.lastIndexOf('<div', rule);
  const from = rule === undefined ? lineStart(content, at) : block === -1 ? rule : block;
  return { own: content.slice(0, from), invitation: content.slice(from) };
}

/** HTML may escape the ampersands of the link. */
function placeOf(content: string, joinUrl: string): number {
  const at = content.indexOf(joinUrl);
  return at === -1 ? content.indexOf(joinUrl.replaceAll('&', '&amp;')) : at;
}

function lineStart(content: string, at: number): number {
  return Math.max(content.lastIndexOf('\n', at) + 1, content.lastIndexOf('<p', at), content.lastIndexOf('<div', at), 0);
}

// Takes linear time, because anybody may send an invitation with any body.
function htmlToText(html: string): string {
  const lines = withoutUnseen(html)
    .replace(/[\r\n]+/g, ' ')
    .replace(/<br\s*\/?>|<\/(?:p|div|li|tr|h[1-6])\s*>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,5});/gi, (entity, name: string) => characterOf(name) ?? entity)
    .split('\n');
  return lines
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

/** Removes invisible elements. An unclosed one extends to the end. */
function withoutUnseen(html: string): string {
  let seen = '';
  let from = 0;
  for (const { index, 1: name = '' } of html.matchAll(/<(style|script|head)(?=[\s>])/gi)) {
    if (index < from) continue;
    seen += html.slice(from, index);
    const end = new RegExp(`</${name}\\s*>`, 'gi');
    end.lastIndex = index;
    from = end.exec(html) === null ? html.length : end.lastIndex;
  }
  return seen + html.slice(from);
}

function withoutLastBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}

function characterOf(name: string): string | undefined {
  if (!name.startsWith('#')) return NAMED[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

function textToHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(/\r?\n/g, '<br>');
}
