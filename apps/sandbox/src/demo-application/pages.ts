import { html, type Html } from '../http/html.js';
import { page } from '../pages/layout.js';

/** The end of a sign-in that went well, and what to do with the account. */
export function connectedPage({
  serviceUrl,
  endUserAccountId,
  state,
}: {
  serviceUrl: string;
  endUserAccountId: string;
  state: string | null;
}): Html {
  const calendars = `curl -H "x-api-key: $API_KEY" ${serviceUrl}/api/v1/calendars/${endUserAccountId}`;
  const events = `curl -H "x-api-key: $API_KEY" ${serviceUrl}/api/v1/events/${endUserAccountId}/<calendar id>`;
  return page(
    'Account connected',
    html`<h1>Account connected</h1>
      <p>This page stands for your application: the service sent the browser back to it.</p>
      <dl>
        <dt>endUserAccountId</dt>
        <dd data-testid="end-user-account-id">${endUserAccountId}</dd>
        ${
          state === null
            ? null
            : html`<dt>state</dt>
                <dd data-testid="state">${state}</dd>`
        }
      </dl>
      <p>Its calendars, and the events of one:</p>
      <pre>${calendars}</pre>
      <pre>${events}</pre>`,
  );
}

/** The end of a sign-in that did not. */
export function refusedPage({ error, errorDescription }: { error: string; errorDescription: string | null }): Html {
  return page(
    'Account not connected',
    html`<h1>Account not connected</h1>
      <p data-testid="error">${error}</p>
      <p data-testid="error-description">${errorDescription ?? ''}</p>
      <p>This page stands for your application: the service sent the browser back to it. No account was made.</p>`,
  );
}

/** Somebody opened the page by hand. */
export function emptyPage(): Html {
  return page(
    'Your application',
    html`<h1>Your application</h1>
      <p>This page stands for your application. Browsers come here at the end of a sign-in.</p>`,
  );
}
