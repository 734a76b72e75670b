import { Html, html } from '../http/html.js';
import type { PageFacts } from '../oauth/dialect.js';

const STYLE = new Html(`
  :root { color-scheme: light dark; --ink: #1f1f1f; --soft: #444746; --line: #c4c7c5; --ground: #f0f4f9; --card: #fff; --accent: #0b57d0; --on-accent: #fff; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e3e3e3; --soft: #c4c7c5; --line: #5f6368; --ground: #1e1f20; --card: #0e0e0e; --accent: #a8c7fa; --on-accent: #062e6f; } }
  * { box-sizing: border-box; }
  body { margin: 0; min-height: 100vh; display: grid; grid-template-columns: minmax(0, 1fr); place-items: center; padding: 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
  main { width: min(30rem, 100%); padding: 2.25rem; border-radius: 1.75rem; background: var(--card); }
  h1 { margin: 0 0 .25rem; font-size: 1.75rem; font-weight: 400; line-height: 1.25; overflow-wrap: anywhere; }
  p { margin: .25rem 0 1rem; color: var(--soft); overflow-wrap: anywhere; }
  ul { list-style: none; margin: 1.25rem 0; padding: 0; }
  li + li { border-top: 1px solid var(--line); }
  .account { display: block; width: 100%; padding: .75rem .5rem; border: 0; border-radius: .5rem; background: none; color: inherit; font: inherit; text-align: left; cursor: pointer; }
  .account:hover { background: var(--ground); }
  .account small, .scope small { display: block; color: var(--soft); overflow-wrap: anywhere; }
  .scope { display: flex; gap: .75rem; align-items: flex-start; padding: .75rem .5rem; }
  .scope input { margin: .25rem 0 0; inline-size: 1.125rem; block-size: 1.125rem; flex: none; accent-color: var(--accent); }
  .field { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
  .field label { flex: 1 1 14rem; color: var(--soft); font-size: .875rem; }
  .field input { display: block; width: 100%; margin-top: .25rem; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: none; color: var(--ink); font: inherit; }
  .actions { display: flex; justify-content: flex-end; gap: .5rem; margin-top: 1.5rem; }
  .button { padding: .6rem 1.5rem; border: 1px solid var(--line); border-radius: 2rem; background: none; color: var(--accent); font: inherit; font-weight: 500; cursor: pointer; }
  .primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  dt { color: var(--soft); font-size: .875rem; }
  dd { margin: 0 0 .75rem; font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
  pre { margin: .5rem 0; padding: .75rem; border-radius: .5rem; background: var(--ground); font-size: .8125rem; white-space: pre-wrap; overflow-wrap: anywhere; }
  footer { margin-top: 1.5rem; color: var(--soft); font-size: .8125rem; }
`);

export function page(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>${title}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          ${content}
          <footer>Calendar sandbox: no real provider. Everything here is made up and stays on this machine.</footer>
        </main>
      </body>
    </html>`;
}

/** Error page, shown instead of a redirect to the client. */
export function faultPage(title: string, fault: string, details: string | null = null): Html {
  return page(
    title,
    html`<h1>${title}</h1>
      <p data-testid="fault">${fault}</p>
      ${details === null ? null : html`<p data-testid="fault-details">${details}</p>`}`,
  );
}

/** Consent page. Posts to `action`: `decision` = `allow` or `cancel`, and the fields of `asked`. */
export function consentForm(
  { action, interaction, address }: PageFacts,
  { title, heading, asked, accept = 'Allow' }: { title: string; heading: string; asked: Html; accept?: string },
): Html {
  return page(
    title,
    html`<h1>${heading}</h1>
      <p data-testid="signed-in-as">${address}</p>
      <form method="post" action="${action}">
        <input type="hidden" name="interaction" value="${interaction}" />
        ${asked}
        <div class="actions">
          <button class="button" name="decision" value="cancel" data-testid="cancel">Cancel</button>
          <button class="button primary" name="decision" value="allow" data-testid="allow">${accept}</button>
        </div>
      </form>`,
  );
}
