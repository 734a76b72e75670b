import { html, type Html } from '../../http/html.js';
import type { PageFacts } from '../../oauth/dialect.js';
import { isSignInScope, scopeDescription, shortScope } from '../oauth/scopes.js';
import { consentForm } from '../../pages/layout.js';

/**
 * Consent page. With more than one scope beside the sign-in ones each new scope has a box. Posts to `action`: `scope`
 * for each ticked box, `decision` = `allow` or `cancel`.
 * https://developers.google.com/identity/protocols/oauth2/resources/granular-permissions
 */
export function consentPage(consent: PageFacts & { requested: readonly string[]; granted: ReadonlySet<string> }): Html {
  const { requested, granted } = consent;
  const refusable = new Set(refusableScopes(requested, granted));
  return consentForm(consent, {
    title: 'Allow access',
    heading: `${consent.clientId} wants access to your Google Account`,
    asked: html`<ul>
      <li class="scope"><span>Know who you are on Google</span></li>
      ${requested
        .filter((scope) => !isSignInScope(scope))
        .map((scope) => (refusable.has(scope) ? scopeBox(scope) : scopeRow(scope, granted.has(scope))))}
    </ul>`,
  });
}

/** Returns the scopes with a box, which the user can deny individually. */
export function refusableScopes(requested: readonly string[], granted: ReadonlySet<string>): string[] {
  const optional = requested.filter((scope) => !isSignInScope(scope));
  return optional.length === 1 ? [] : optional.filter((scope) => !granted.has(scope));
}

function scopeRow(scope: string, isGranted: boolean): Html {
  return html`<li class="scope">
    <span>${scopeDescription(scope)}<small>${shortScope(scope)}${isGranted ? ', already allowed' : ''}</small></span>
  </li>`;
}

function scopeBox(scope: string): Html {
  const id = `scope-${shortScope(scope)}`;
  return html`<li class="scope">
    <input type="checkbox" id="${id}" data-testid="${id}" name="scope" value="${scope}" checked />
    <label for="${id}">${scopeDescription(scope)}<small>${shortScope(scope)}</small></label>
  </li>`;
}
