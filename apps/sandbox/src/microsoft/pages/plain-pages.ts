import { html, type Html } from '../../http/html.js';
import { page } from '../../pages/layout.js';
import type { AadstsRefusal } from '../identity/aadsts.js';

/** What Microsoft shows instead of sending the browser back. */
export function faultPage({ description }: AadstsRefusal): Html {
  return page(
    'Sign in to your account',
    html`<h1>Sorry, but we’re having trouble signing you in.</h1>
      <p data-testid="fault">${description}</p>`,
  );
}
