import type { ErrorResponses } from '../faults/misbehaviour.js';
import { Front, type Endpoint } from '../front/front.js';
import type { Delivery } from '../http/delivery.js';
import { jsonResponse, type HttpResponse, type HttpRequest } from '../http/message.js';
import type { Journal, RequestKind } from '../journal.js';
import type { OAuthErrorResponse } from '../oauth/errors.js';
import { brokenFrontEnd, errorResponse, errorFor } from './graph/graph-error.js';
import { GRAPH_PATH, GraphEndpoint } from './graph/graph-endpoint.js';
import { aadsts, tokenResponse, tokenErrorBody } from './identity/aadsts.js';
import { adminConsent } from './identity/admin-consent.js';
import { issuerOf } from './identity/dialect.js';
import { isTenantId, PERSONAL_TENANT } from './identity/tenants.js';
import type { MicrosoftSandbox } from './microsoft-sandbox.js';

type TenantEndpoint = Omit<Endpoint, 'answer'> & {
  answer: (tenant: string, request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
};

/** All Microsoft endpoints on one origin: sign-in pages, token endpoint, Graph. */
export class MicrosoftEndpoints {
  readonly #front: Front;
  readonly #graph: GraphEndpoint;
  readonly #pages: ReadonlyMap<string, Endpoint>;
  readonly #ofTenants: ReadonlyMap<string, TenantEndpoint>;

  /** @param publicUrl origin for browsers and services */
  constructor(
    private readonly microsoft: MicrosoftSandbox,
    private readonly journal: Journal,
    private readonly clock: { nowMs(): number },
    publicUrl: () => string,
  ) {
    this.#front = new Front({
      ...{ journal, faults: microsoft.faults },
      endpoint: (request) => this.#endpoint(request),
      errorsOf: (kind) => this.#errorsOf(kind),
    });
    const { oauth, users, directories, signingKey, graph, throttle } = microsoft;
    const { clients, grants } = oauth;
    const consentOfAdministrator: TenantEndpoint = {
      kind: 'admin-consent',
      answer: (tenant, request) => adminConsent({ clients, users, directories }, tenant, request),
    };
    this.#graph = new GraphEndpoint({
      ...{ grants, graph, throttle, clock },
      during: (note, run) => microsoft.during(note, run),
      part: (request) => this.#front.handlePart(request),
      violation: (request, methodId, message) => journal.violation(request, methodId, message),
    });
    this.#pages = new Map(oauth.pages());
    this.#ofTenants = new Map<string, TenantEndpoint>([
      [
        'GET /oauth2/v2.0/authorize',
        { kind: 'authorize', answer: (tenant, request) => oauth.authorize(request, tenant) },
      ],
      [
        'POST /oauth2/v2.0/token',
        {
          kind: 'token',
          subject: (request) => oauth.subject(request),
          answer: (tenant, request) => oauth.token(request, tenant),
        },
      ],
      ['GET /v2.0/adminconsent', consentOfAdministrator],
      ['POST /v2.0/adminconsent', consentOfAdministrator],
      ['GET /discovery/v2.0/keys', { kind: 'certs', answer: async () => cached(await signingKey.keySet()) }],
      [
        'GET /v2.0/.well-known/openid-configuration',
        { kind: 'discovery', answer: (tenant) => cached(configuration(publicUrl(), tenant)) },
      ],
    ]);
  }

  async handle(request: HttpRequest): Promise<Delivery> {
    return this.#front.handle(request);
  }

  #endpoint(request: HttpRequest): Endpoint {
    const { method, path } = request;
    if (path.startsWith(GRAPH_PATH)) return this.#graph.endpoint(request);
    const page = this.#pages.get(`${method} ${path}`);
    if (page !== undefined) return page;
    const [, segment = '', below = ''] = /^\/([^/]+)(\/.*)$/.exec(path) ?? [];
    const found = this.#ofTenants.get(`${method} ${below}`);
    if (found === undefined) return { kind: 'unknown', answer: () => this.#nothingThere(request) };
    const tenant = segment.toLowerCase();
    return this.#knows(tenant)
      ? { ...found, answer: () => found.answer(tenant, request) }
      : { kind: found.kind, answer: () => this.#noSuchTenant(segment) };
  }

  #knows(tenant: string): boolean {
    if (['common', 'organizations', 'consumers', PERSONAL_TENANT].includes(tenant)) return true;
    const { users, oauth } = this.microsoft;
    return (
      isTenantId(tenant) &&
      (users.all().some(({ tid }) => tid === tenant) || oauth.clients.all().some(({ audience }) => audience === tenant))
    );
  }

  #noSuchTenant(segment: string): HttpResponse {
    const message = `Tenant '${segment}' not found. Check to make sure you have the correct tenant ID.`;
    return tokenResponse(400, tokenErrorBody(aadsts('invalid_request', [90002], message), this.clock.nowMs()));
  }

  /** Browsers request an icon on their own; any other request is a client defect. */
  #nothingThere(request: HttpRequest): HttpResponse {
    if (request.path !== '/favicon.ico') this.journal.violation(request, null, 'there is no such endpoint');
    return errorResponse(errorFor(404, 'ResourceNotFound'), this.clock.nowMs());
  }

  /** Graph has another error format than the identity platform. */
  #errorsOf(kind: RequestKind): ErrorResponses {
    return {
      brokenFrontEnd,
      refusal: (status, reason) =>
        kind === 'api'
          ? errorResponse(errorFor(status, reason), this.clock.nowMs())
          : tokenResponse(status, tokenErrorBody(usualError(status, reason), this.clock.nowMs())),
    };
  }
}

/** The key stays the same at run time; Microsoft also allows caching for a day. */
function cached(value: unknown): HttpResponse {
  return jsonResponse(200, value, { headers: { 'cache-control': 'max-age=86400, private' } });
}

/** Default refusal of a fault with this status. */
function usualError(status: number, error: string | undefined): OAuthErrorResponse {
  if (status >= 500 || status === 429) {
    return aadsts(error ?? 'temporarily_unavailable', [90033], 'A transient error has occurred. Please try again.');
  }
  return aadsts(error ?? 'invalid_grant', [70000], 'The provided grant is invalid or malformed.');
}

/** OpenID Connect Discovery §3 */
function configuration(origin: string, tenant: string): Record<string, unknown> {
  const below = (path: string): string => `${origin}/${tenant}${path}`;
  const tid = tenant === 'consumers' ? PERSONAL_TENANT : isTenantId(tenant) ? tenant : '{tenantid}';
  return {
    issuer: issuerOf(origin, tid),
    authorization_endpoint: below('/oauth2/v2.0/authorize'),
    token_endpoint: below('/oauth2/v2.0/token'),
    jwks_uri: below('/discovery/v2.0/keys'),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: ['plain', 'S256'],
  };
}
