import { html, type Html } from '../../http/html.js';
import { page } from '../../pages/layout.js';

/** What Google shows instead of sending the browser back. */
export function faultPage({ status, code, message }: { status: number; code: string; message: string }): Html {
  return page(
    'Access blocked',
    html`<h1>Access blocked: this request is invalid</h1>
      <p data-testid="fault">Error ${status}: ${code}</p>
      <p data-testid="fault-details">${message}</p>`,
  );
}
