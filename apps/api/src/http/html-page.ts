import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { PAGE_LANGUAGES, type PageLanguage } from '#providers';

/** Colors and shapes of every page that is not the dashboard. */
const STYLE = `
:root { color-scheme: light dark; --ink: #1f2328; --faint: #59636e; --card: #fff; --ground: #f4f5f7; --line: #d9dde2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --faint: #9aa4af; --card: #1b1f24; --ground: #101316; --line: #343b43; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main { width: 100%; max-width: 30rem; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 0.9rem; }
h1 { margin: 0 0 0.75rem; font-size: 1.3rem; line-height: 1.3; }
p { margin: 0 0 1.5rem; overflow-wrap: anywhere; }
`;

export interface HtmlPage {
  status: number;
  language: PageLanguage;
  title: string;
  /** Content of `main`, already escaped. */
  body: string;
  style: string;
  /** Inline script. Default: none. */
  script?: string;
  /** Origins and schemes that a form may lead to, by its redirects too. Default: none. */
  formTargets?: readonly string[];
}

/** What the browser asks for among the languages of the pages, else English. */
export function pageLanguageOf(request: Request, response: Response): PageLanguage {
  response.vary('accept-language');
  return PAGE_LANGUAGES.find((known) => known === request.acceptsLanguages(...PAGE_LANGUAGES)) ?? 'en';
}

export function sendPage(response: Response, page: HtmlPage): void {
  response.status(page.status);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-security-policy', policyOf(page));
  response.send(render(page));
}

function render({ language, title, body, style, script }: HtmlPage): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${escaped(title)}</title>
<style>${STYLE}${style}</style>
</head>
<body>
<main>
${body}
</main>${script === undefined ? '' : `\n<script>${script}</script>`}
</body>
</html>
`;
}

/** Inline code runs by its hash alone. */
function policyOf({ style, script, formTargets = [] }: HtmlPage): string {
  return [
    "default-src 'none'",
    `style-src ${hashSource(STYLE + style)}`,
    ...(script === undefined ? [] : [`script-src ${hashSource(script)}`]),
    'img-src data:',
    "base-uri 'none'",
    `form-action ${formTargets.length === 0 ? "'none'" : formTargets.join(' ')}`,
    "frame-ancestors 'none'",
  ].join('; ');
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
