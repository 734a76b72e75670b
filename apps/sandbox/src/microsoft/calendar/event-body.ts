import type { Body, Meeting } from './model.js';

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const PREVIEW_CHARACTERS = 255;
const RULE = '_'.repeat(80);

/** Body of an event in the form that is asked for. */
export function bodyAs(body: Body, contentType: Body['contentType']): Body {
  if (body.content === '' || body.contentType === contentType) return { ...body, contentType };
  return { contentType, content: contentType === 'html' ? toHtml(body.content) : toText(body.content) };
}

/** https://learn.microsoft.com/graph/api/resources/event: the first 255 characters, as text */
export function previewOf(body: Body): string {
  return bodyAs(body, 'text').content.replace(/\s+$/, '').slice(0, PREVIEW_CHARACTERS);
}

/** The body with the invitation to a meeting below what its author wrote: HTML from then on. */
export function withInvitation(body: Body, { joinUrl, conferenceId }: Meeting): Body {
  const invitation =
    `<div><br><span>${RULE}</span></div><div class="me-email-text">` +
    `<div><span>Microsoft Teams meeting</span></div>` +
    `<div><a class="me-email-headline" href="${joinUrl}">Join the meeting now</a></div>` +
    `<div>Meeting ID: ${conferenceId}</div></div><div><span>${RULE}</span></div>`;
  const own = bodyAs(body, 'html').content.replace(/(<\/body>)?\s*(<\/html>)?\s*$/i, '');
  const open = /<body\b/i.test(own) ? own : `<html><head></head><body>${own}`;
  return { contentType: 'html', content: `${open}${invitation}</body></html>` };
}

/** Whether the invitation to a meeting is still in a body. */
export function hasInvitation({ content }: Body, { joinUrl }: Meeting): boolean {
  return joinUrl === null || content.includes(joinUrl);
}

function toHtml(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/\r?\n/g, '<br>\r\n');
  return `<html><head>\r\n<meta http-equiv="Content-Type" content="text/html; charset=utf-8"></head><body><div class="PlainText">${escaped}</div></body></html>`;
}

function toText(html: string): string {
  const text = html
    .replace(/<(style|script|head)\b[^>]*>[^]*?<\/\1\s*>/gi, '')
    .replace(/[\r\n]+/g, ' ')
    .replace(/<a\b[^<>]*href="([^"<>]*)"[^<>]*>([^<>]*)<\/a>/gi, '$2&lt;$1&gt;')
    .replace(/<br\s*\/?>|<\/(?:p|div|li|tr|h[1-6])\s*>/gi, '\r\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,5});/gi, (entity, name: string) => characterOf(name) ?? entity)
    .replace(/[ \t]*\r\n[ \t]*/g, '\r\n')
    .trim();
  return `${text}\r\n`;
}

function characterOf(name: string): string | undefined {
  if (!name.startsWith('#')) return NAMED[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
