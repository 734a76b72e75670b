import { htmlResponse } from '../../http/html.js';
import { formOf, type HttpResponse, type HttpRequest } from '../../http/message.js';
import { sendBack } from '../../oauth/authorization-server.js';
import type { Clients } from '../../oauth/clients.js';
import { OAuthErrorResponse } from '../../oauth/errors.js';
import { faultPage } from '../../pages/layout.js';
import { adminConsentPage } from '../pages/consent.js';
import type { MicrosoftUsers } from '../users.js';
import { descriptionOf, refuse } from './aadsts.js';
import type { MicrosoftClient } from './dialect.js';
import { echoedScopes, readScopes } from './scopes.js';
import { isTenantId, type Directories } from './tenants.js';

/**
 * `/{tenant}/v2.0/adminconsent`: consent for a whole directory. Anyone who opens the page counts as an administrator.
 * Posts `tenant`, the directory; empty when declined.
 * https://learn.microsoft.com/entra/identity-platform/v2-admin-consent
 */
export function adminConsent(
  deps: { clients: Clients<MicrosoftClient>; users: MicrosoftUsers; directories: Directories },
  tenant: string,
  request: HttpRequest,
): HttpResponse {
  const { query } = request;
  const [clientId, redirectUri] = [query.get('client_id') ?? '', query.get('redirect_uri') ?? ''];
  try {
    if (deps.clients.find(clientId)?.redirectUris.includes(redirectUri) !== true)
      throw refuse('redirectUri', redirectUri);
    const scopes = readScopes(query.get('scope') ?? '');
    const known = deps.users.all().flatMap(({ kind, tid }) => (kind === 'work' ? [tid] : []));
    const tenants = isTenantId(tenant) ? [tenant] : [...new Set(known)];
    if (request.method === 'GET') return htmlResponse(200, adminConsentPage({ clientId, scopes, tenants }));
    const to = { redirectUri, state: query.get('state') };
    const tid = formOf(request).get('tenant') ?? '';
    if (!tenants.includes(tid)) {
      const rejection = refuse('denied');
      return sendBack(to, { error: rejection.error, error_description: descriptionOf(rejection) });
    }
    deps.directories.consent(tid, clientId, scopes);
    return sendBack(to, { admin_consent: 'True', tenant: tid, scope: echoedScopes(scopes) });
  } catch (error) {
    if (!(error instanceof OAuthErrorResponse)) throw error;
    return htmlResponse(400, faultPage('Sorry, but we’re having trouble signing you in.', descriptionOf(error)));
  }
}
