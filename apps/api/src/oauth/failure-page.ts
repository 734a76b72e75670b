import { createHash } from 'node:crypto';
import type { Failure } from '../errors/envelope.js';

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
dl { margin: 0; padding-top: 1rem; border-top: 1px solid var(--line); display: grid; grid-template-columns: auto 1fr;
  gap: 0.25rem 1rem; color: var(--faint); font-size: 0.85rem; }
dd { margin: 0; overflow-wrap: anywhere; font-family: ui-monospace, monospace; }
`;

export const FAILURE_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function failurePage({ code, message }: Failure, requestId: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>Your calendar was not connected</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Your calendar was not connected</h1>
<p>${escaped(message)}</p>
<dl><dt>Code</dt><dd>${escaped(code)}</dd><dt>Request</dt><dd>${escaped(requestId)}</dd></dl>
</main>
</body>
</html>
`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
