import { html, type Html } from '../http/html.js';
import type { PageFacts } from '../oauth/dialect.js';
import { page } from '../pages/layout.js';

/** Whether the client may know who somebody is. Posted to `action`: `decision` = `allow` or `cancel`. */
export function identityConsent(consent: PageFacts): Html {
  return page(
    'Sign in',
    html`<h1>Sign in to ${consent.clientId}</h1>
      <p data-testid="signed-in-as">${consent.address}</p>
      <form method="post" action="${consent.action}">
        <input type="hidden" name="interaction" value="${consent.interaction}" />
        <ul>
          <li class="scope"><span>Know your name and your email address</span></li>
        </ul>
        <div class="actions">
          <button class="button" name="decision" value="cancel" data-testid="cancel">Cancel</button>
          <button class="button primary" name="decision" value="allow" data-testid="allow">Allow</button>
        </div>
      </form>`,
  );
}
