import type { ErrorResponses } from '../faults/misbehaviour.js';
import { Front, type Endpoint } from '../front/front.js';
import type { Delivery } from '../http/delivery.js';
import { jsonResponse, type HttpResponse, type HttpRequest } from '../http/message.js';
import type { Journal, RequestKind } from '../journal.js';
import { OpenIdProvider } from '../openid/openid-provider.js';
import { CALENDAR_PATH, CalendarEndpoint } from './api/calendar-endpoint.js';
import { brokenFrontEnd, errorItem, errorResponse } from './api/google-error.js';
import { GoogleErrorResponse } from './contract.js';
import type { GoogleSandbox } from './google-sandbox.js';
import { AUTHORIZE_PATH, ISSUER } from './oauth/dialect.js';
import { TokenFacts } from './oauth/token-facts.js';

/** All Google endpoints on one origin, and an OpenID provider for the same users. */
export class GoogleEndpoints {
  readonly openId: OpenIdProvider;
  readonly #front: Front;
  readonly #calendar: CalendarEndpoint;
  readonly #fixed: ReadonlyMap<string, Endpoint>;

  /** @param publicUrl origin for browsers and services */
  constructor(
    google: GoogleSandbox,
    private readonly journal: Journal,
    clock: { nowMs(): number },
    publicUrl: () => string,
  ) {
    this.#front = new Front({
      ...{ journal, errorsOf, faults: google.faults },
      endpoint: (request) => this.#endpoint(request),
    });
    const violation = (request: HttpRequest, message: string): void => journal.violation(request, null, message);
    const { oauth, users, signingKey } = google;
    const { grants } = oauth;
    this.openId = new OpenIdProvider({
      ...{ clock, signingKey, users, violation },
      createUser: (email) => google.addUser({ email }),
    });
    const facts = new TokenFacts(grants, clock);
    this.#calendar = new CalendarEndpoint({
      ...{ grants, calendar: google.calendar },
      during: (note, run) => google.during(note, run),
      violation: (request, methodId, message) => journal.violation(request, methodId, message),
    });
    const tokenInfo: Endpoint = {
      kind: 'tokeninfo',
      subject: (request) => facts.subject(request)?.email ?? null,
      answer: (request) => facts.tokenInfo(request),
    };
    this.#fixed = new Map<string, Endpoint>([
      [`GET ${AUTHORIZE_PATH}`, { kind: 'authorize', answer: (request) => oauth.authorize(request) }],
      ...oauth.pages(),
      [
        'POST /token',
        { kind: 'token', subject: (request) => oauth.subject(request), answer: (request) => oauth.token(request) },
      ],
      [
        'POST /revoke',
        {
          kind: 'revoke',
          subject: (request) => facts.subject(request)?.email ?? null,
          answer: (request) => facts.revoke(request),
        },
      ],
      ['GET /tokeninfo', tokenInfo],
      ['POST /tokeninfo', tokenInfo],
      [
        'GET /oauth2/v3/userinfo',
        {
          kind: 'userinfo',
          subject: (request) => facts.subject(request)?.email ?? null,
          answer: (request) => facts.userInfo(request),
        },
      ],
      ['GET /oauth2/v3/certs', { kind: 'certs', answer: async () => cached(await signingKey.keySet()) }],
      [
        'GET /.well-known/openid-configuration',
        { kind: 'discovery', answer: () => cached(configuration(publicUrl())) },
      ],
    ]);
  }

  async handle(request: HttpRequest): Promise<Delivery> {
    return this.#front.handle(request);
  }

  reset(): void {
    this.openId.reset();
  }

  #endpoint(request: HttpRequest): Endpoint {
    const { method, path } = request;
    if (path.startsWith(CALENDAR_PATH)) {
      const routed = this.#calendar.route(request);
      return {
        kind: 'api',
        methodId: typeof routed === 'string' ? null : routed.method.id,
        subject: () => this.#calendar.subject(request)?.email ?? null,
        answer: () => this.#calendar.answer(request),
      };
    }
    return (
      this.#fixed.get(`${method} ${path}`) ??
      this.openId.endpoint(request) ?? { kind: 'unknown', answer: () => this.#nothingThere(request) }
    );
  }

  /** Browsers request an icon on their own; any other request is a client defect. */
  #nothingThere(request: HttpRequest): HttpResponse {
    if (request.path !== '/favicon.ico') this.journal.violation(request, null, 'there is no such endpoint');
    return errorResponse(new GoogleErrorResponse(404, errorItem('notFound')));
  }
}

/** The key stays the same at run time; Google also allows caching for hours. */
function cached(value: unknown): HttpResponse {
  return jsonResponse(200, value, {
    headers: { 'cache-control': 'public, max-age=21600, must-revalidate, no-transform' },
    indent: 2,
  });
}

/** OpenID Connect Discovery §3 */
function configuration(origin: string): Record<string, unknown> {
  return {
    issuer: ISSUER,
    authorization_endpoint: `${origin}${AUTHORIZE_PATH}`,
    token_endpoint: `${origin}/token`,
    revocation_endpoint: `${origin}/revoke`,
    jwks_uri: `${origin}/oauth2/v3/certs`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: ['plain', 'S256'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
  };
}

/** The Calendar API has another error format than the endpoints of RFC 6749. */
function errorsOf(kind: RequestKind): ErrorResponses {
  return {
    brokenFrontEnd,
    refusal: (status, reason) =>
      kind === 'api'
        ? errorResponse(new GoogleErrorResponse(status, errorItem(reason ?? usualReason(status))))
        : jsonResponse(status, { error: reason ?? usualReason(status), error_description: 'Bad Request' }),
  };
}

const USUAL_REASONS: Readonly<Record<number, string>> = {
  401: 'authError',
  403: 'forbidden',
  404: 'notFound',
  429: 'rateLimitExceeded',
};

function usualReason(status: number): string {
  return USUAL_REASONS[status] ?? (status >= 500 ? 'backendError' : 'badRequest');
}
