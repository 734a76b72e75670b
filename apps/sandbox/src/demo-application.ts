import { html, htmlResponse, type Html } from './http/html.js';
import type { HttpResponse, HttpRequest } from './http/message.js';
import { page } from './pages/layout.js';

/**
 * Stands in for the application that uses the service. @param serviceUrl service origin without `/api`, for commands
 */
export function demoApplication(serviceUrl: string): (request: HttpRequest) => HttpResponse {
  return ({ query }) => {
    const endUserAccountId = query.get('endUserAccountId');
    if (endUserAccountId !== null) {
      return htmlResponse(200, connectedPage({ serviceUrl, endUserAccountId, state: query.get('state') }));
    }
    const error = query.get('error');
    if (error !== null) {
      return htmlResponse(200, rejectedPage({ error, errorDescription: query.get('error_description') }));
    }
    return htmlResponse(200, emptyPage());
  };
}

function connectedPage({
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

function rejectedPage({ error, errorDescription }: { error: string; errorDescription: string | null }): Html {
  return page(
    'Account not connected',
    html`<h1>Account not connected</h1>
      <p data-testid="error">${error}</p>
      <p data-testid="error-description">${errorDescription ?? ''}</p>
      <p>This page stands for your application: the service sent the browser back to it. No account was made.</p>`,
  );
}

/** Shown without the parameters of a sign-in. */
function emptyPage(): Html {
  return page(
    'Your application',
    html`<h1>Your application</h1>
      <p>This page stands for your application. Browsers come here at the end of a sign-in.</p>`,
  );
}
