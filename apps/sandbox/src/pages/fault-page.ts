import { html, type Html } from '../http/html.js';
import { page } from './layout.js';

/** What is shown instead of sending the browser back. */
export function faultPage(title: string, fault: string, details: string | null = null): Html {
  return page(
    title,
    html`<h1>${title}</h1>
      <p data-testid="fault">${fault}</p>
      ${details === null ? null : html`<p data-testid="fault-details">${details}</p>`}`,
  );
}
