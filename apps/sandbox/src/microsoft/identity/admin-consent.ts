import { htmlAnswer } from '../../http/html.js';
import { formOf, type HttpAnswer, type HttpRequest } from '../../http/message.js';
import { adminConsentPage } from '../pages/consent.js';
import { faultPage } from '../pages/plain-pages.js';
import type { MicrosoftUsers } from '../users.js';
import { AadstsRefusal } from './aadsts.js';
import { scopesOf, type ReturnAddress } from './authorization-request.js';
import type { MicrosoftClients } from './clients.js';
import { echoedScopes } from './scopes.js';
import { sendBack } from './sign-in.js';
import { isTenantId, type Directories, type TenantSegment } from './tenants.js';

interface AdminConsentRequest extends ReturnAddress {
  clientId: string;
  scopes: readonly string[];
  /** Directories that the segment can mean. */
  tenants: readonly string[];
}

/**
 * `/{tenant}/v2.0/adminconsent`: an administrator consents for a whole directory. Whoever opens the page is one.
 * https://learn.microsoft.com/entra/identity-platform/v2-admin-consent
 */
export class AdminConsent {
  constructor(
    private readonly deps: {
      clients: MicrosoftClients;
      users: MicrosoftUsers;
      directories: Directories;
    },
  ) {}

  show(tenant: TenantSegment, request: HttpRequest): HttpAnswer {
    return refusing(() => htmlAnswer(200, adminConsentPage(this.#read(tenant, request))));
  }

  /** `tenant` of the form: the directory; empty: the administrator declined. */
  decide(tenant: TenantSegment, request: HttpRequest): HttpAnswer {
    return refusing(() => {
      const asked = this.#read(tenant, request);
      const { clientId, scopes, tenants } = asked;
      const tid = formOf(request).get('tenant') ?? '';
      if (!tenants.includes(tid)) {
        return sendBack(asked, new AadstsRefusal('access_denied', [65004], 'The administrator declined to consent.'));
      }
      this.deps.directories.consent(tid, clientId, scopes);
      return sendBack(asked, { admin_consent: 'True', tenant: tid, scope: echoedScopes(scopes) });
    });
  }

  #read(tenant: TenantSegment, { query }: HttpRequest): AdminConsentRequest {
    const clientId = query.get('client_id') ?? '';
    const redirectUri = query.get('redirect_uri') ?? '';
    if (this.deps.clients.find(clientId)?.redirectUris.includes(redirectUri) !== true) {
      const message = 'The client or its redirect URI is not known.';
      throw new AadstsRefusal('invalid_request', [50011], message);
    }
    const scopes = scopesOf(query.get('scope') ?? '');
    const known = this.deps.users.all().flatMap(({ kind, tid }) => (kind === 'work' ? [tid] : []));
    const tenants = isTenantId(tenant) ? [tenant] : [...new Set(known)];
    return { clientId, redirectUri, scopes, tenants, state: query.get('state') };
  }
}

function refusing(run: () => HttpAnswer): HttpAnswer {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof AadstsRefusal)) throw error;
    return htmlAnswer(400, faultPage(error));
  }
}
