import { html, type Html } from '../../http/html.js';
import type { PageFacts } from '../../oauth/dialect.js';
import { consentForm, page } from '../../pages/layout.js';
import { scopeDescription } from '../identity/scopes.js';

/** Consent page for all scopes or none. Posts to `action`: `decision` = `allow` or `cancel`. */
export function consentPage(consent: PageFacts & { scopes: readonly string[] }): Html {
  return consentForm(consent, {
    title: 'Permissions requested',
    heading: `Permissions requested by ${consent.clientId}`,
    asked: scopeList(consent.scopes),
    accept: 'Accept',
  });
}

/** Shown when only administrators of the directory may consent. */
export function approvalPage(approval: PageFacts): Html {
  return page(
    'Need admin approval',
    html`<h1>Need admin approval</h1>
      <p data-testid="signed-in-as">${approval.address}</p>
      <p data-testid="need-admin-approval">
        ${approval.clientId} needs permission to access resources in your organization that only an admin can grant.
        Please ask an admin to grant permission to this app before you can use it.
      </p>
      <form method="post" action="${approval.action}">
        <input type="hidden" name="interaction" value="${approval.interaction}" />
        <button class="button" data-testid="return">Return to the application without granting consent</button>
      </form>`,
  );
}

/** Consent of an administrator for a whole directory. Posts to the page's own address. */
export function adminConsentPage(consent: {
  clientId: string;
  scopes: readonly string[];
  tenants: readonly string[];
}): Html {
  return page(
    'Review for your organization',
    html`<h1>Permissions requested by ${consent.clientId}</h1>
      <p>Review for your organization: if you accept, nobody else will be prompted.</p>
      <form method="post">
        ${scopeList(consent.scopes)}
        <ul>
          ${consent.tenants.map(
            (tid) =>
              html`<li>
                <button class="account" name="tenant" value="${tid}" data-testid="accept-${tid}">
                  Accept for the directory<small>${tid}</small>
                </button>
              </li>`,
          )}
        </ul>
        <div class="actions">
          <button class="button" name="tenant" value="" data-testid="cancel">Cancel</button>
        </div>
      </form>`,
  );
}

function scopeList(scopes: readonly string[]): Html {
  return html`<ul>
    ${scopes.map(
      (scope) =>
        html`<li class="scope">
          <span>${scopeDescription(scope)}<small>${scope}</small></span>
        </li>`,
    )}
  </ul>`;
}
