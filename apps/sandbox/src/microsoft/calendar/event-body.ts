import type { Body, Meeting } from './model.js';

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
/** A tag, a declaration, or text between them. */
const PIECE = /<(\/?)([a-z][a-z0-9]*)\b[^<>]*>|<![^<>]*>|[^<]+|</gi;
const HREF = /\shref="([^"<>]*)"/i;
const HIDDEN = new Set(['style', 'script', 'head']);
const BLOCKS = new Set(['p', 'div', 'li', 'tr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const PREVIEW_CHARACTERS = 255;
const RULE = '_'.repeat(80);

/** Converts a body to the requested content type. */
export function bodyAs(body: Body, contentType: Body['contentType']): Body {
  if (body.content === '' || body.contentType === contentType) return { ...body, contentType };
  return { contentType, content: contentType === 'html' ? toHtml(body.content) : toText(body.content) };
}

/** Returns the first 255 characters as text (https://learn.microsoft.com/graph/api/resources/event). */
export function previewOf(body: Body): string {
  return bodyAs(body, 'text').content.trimEnd().slice(0, PREVIEW_CHARACTERS);
}

/** Appends a meeting's invitation to the body, which becomes HTML. */
export function withInvitation(body: Body, { joinUrl, conferenceId }: Meeting): Body {
  const invitation =
    `<div><br><span>${RULE}</span></div><div class="me-email-text">` +
    `<div><span>Microsoft Teams meeting</span></div>` +
    `<div><a class="me-email-headline" href="${joinUrl}">Join the meeting now</a></div>` +
    `<div>Meeting ID: ${conferenceId}</div></div><div><span>${RULE}</span></div>`;
  const own = withoutEnd(withoutEnd(bodyAs(body, 'html').content, '</html>'), '</body>');
  const open = /<body\b/i.test(own) ? own : `<html><head></head><body>${own}`;
  return { contentType: 'html', content: `${open}${invitation}</body></html>` };
}

export function hasInvitation({ content }: Body, { joinUrl }: Meeting): boolean {
  return joinUrl === null || content.includes(joinUrl);
}

function withoutEnd(html: string, tag: string): string {
  const text = html.trimEnd();
  return text.toLowerCase().endsWith(tag) ? text.slice(0, -tag.length) : text;
}

function toHtml(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/\r?\n/g, '<br>\r\n');
  return `<html><head>\r\n<meta http-equiv="Content-Type" content="text/html; charset=utf-8"></head><body><div class="PlainText">${escaped}</div></body></html>`;
}

/** Single pass, because bodies may be long and crafted to be slow. */
function toText(html: string): string {
  let text = '';
  let hidden: string | null = null;
  let href: string | undefined;
  for (const [piece, slash, tag] of html.matchAll(PIECE)) {
    const name = tag?.toLowerCase() ?? '';
    const isEnd = slash === '/';
    if (hidden !== null) {
      if (isEnd && name === hidden) hidden = null;
    } else if (name === '') text += piece.startsWith('<!') ? '' : piece.replace(/[\r\n]+/g, ' ');
    else if (HIDDEN.has(name) && !isEnd) hidden = name;
    else if (name === 'a') {
      if (isEnd && href !== undefined) text += `&lt;${href}&gt;`;
      href = isEnd ? undefined : HREF.exec(piece)?.[1];
    } else if (name === 'br' || (isEnd && BLOCKS.has(name))) text += '\r\n';
  }
  const lines = text.split('\r\n').map((line) => line.trim());
  return `${unescaped(lines.join('\r\n').trim())}\r\n`;
}

function unescaped(text: string): string {
  return text.replace(
    /&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,5});/gi,
    (entity, name: string) => characterOf(name) ?? entity,
  );
}

function characterOf(name: string): string | undefined {
  if (!name.startsWith('#')) return NAMED[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
