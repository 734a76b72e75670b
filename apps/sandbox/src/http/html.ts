import type { HttpResponse } from './message.js';

/** Trusted markup. Only {@link html} creates it. */
export class Html {
  constructor(readonly text: string) {}
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Builds markup. Escapes every value except markup, for text and for quoted attributes. */
export function html(
  strings: TemplateStringsArray,
  ...values: (string | number | Html | readonly Html[] | null)[]
): Html {
  return new Html(strings.reduce((text, string, index) => text + rendered(values[index - 1] ?? null) + string));
}

function rendered(value: string | number | Html | readonly Html[] | null): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replace(/[&<>"']/g, (character) => ESCAPED[character] ?? '');
}

/**
 * No script, no external content, no framing. `form-action` stays open, because browsers apply it to the redirect after
 * a form, which leads back to the application.
 */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

export function htmlResponse(status: number, page: Html): HttpResponse {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body: Buffer.from(page.text),
  };
}
