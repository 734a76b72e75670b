import { bearerToken, emptyResponse, jsonResponse, type HttpResponse, type HttpRequest } from '../../http/message.js';
import type { Route, Routed } from '../../http/path-templates.js';
import type { Grants } from '../../oauth/grants.js';
import type { CalendarApi } from '../calendar/calendar-api.js';
import { GoogleErrorResponse, type CalendarApiResponse, type GoogleUser } from '../contract.js';
import { readBody } from './body.js';
import { findRoute, type MethodSpec } from './discovery.js';
import { selectFields } from './field-selection.js';
import { IncorrectRequest, errorResponse } from './google-error.js';
import { readParameters, type Parameters } from './parameters.js';

export const CALENDAR_PATH = '/calendar/v3/';

export interface CalendarEndpointDeps {
  grants: Grants<GoogleUser>;
  calendar: CalendarApi;
  /** Runs calendar code; its violations go to `note`. */
  during<T>(note: (message: string) => void, run: () => T): T;
  violation(request: HttpRequest, methodId: string | null, message: string): void;
}

/** Endpoint below `/calendar/v3/`. Admits requests that the discovery document and the token allow. */
export class CalendarEndpoint {
  constructor(private readonly deps: CalendarEndpointDeps) {}

  answer(request: HttpRequest): HttpResponse {
    const routed = this.route(request);
    const methodId = typeof routed === 'string' ? null : routed.method.id;
    try {
      return this.#carryOut(request, routed);
    } catch (error) {
      if (!(error instanceof GoogleErrorResponse)) throw error;
      if (error instanceof IncorrectRequest) this.deps.violation(request, methodId, error.violation);
      return errorResponse(error);
    }
  }

  route({ method, path }: HttpRequest): Routed<MethodSpec> {
    return findRoute(method, path.slice(CALENDAR_PATH.length));
  }

  /** Returns the user of the token, even of an invalid one. */
  subject(request: HttpRequest): GoogleUser | undefined {
    return this.deps.grants.accessToken(bearerToken(request) ?? '')?.grant.user;
  }

  #carryOut(request: HttpRequest, routed: Routed<MethodSpec>): HttpResponse {
    if (typeof routed === 'string') throw notThere(routed);
    const { method, path } = routed;
    const { user, scopes } = this.#authorized(request, method);
    const parameters = readParameters(method, request.query);
    const body = readBody(method, request);
    const { headers } = request;
    const response = this.deps.during(
      (message) => this.deps.violation(request, method.id, message),
      () =>
        this.deps.calendar.handle({ methodId: method.id, user, scopes, path, query: parameters.query, body, headers }),
    );
    return presented(response, method, parameters);
  }

  #authorized(request: HttpRequest, method: MethodSpec): { user: GoogleUser; scopes: string[] } {
    const token = this.deps.grants.accessToken(bearerToken(request) ?? '');
    if (token === undefined || !this.deps.grants.isLive(token)) {
      // A request without any token is a client defect; a token may expire at any time.
      if (request.headers['authorization'] === undefined)
        throw new IncorrectRequest('no access token', ...LOGIN_REQUIRED);
      throw new GoogleErrorResponse(401, INVALID_CREDENTIALS, { status: 'UNAUTHENTICATED' });
    }
    const scopes = [...this.deps.grants.scopesOf(token)];
    if (!scopes.some((scope) => method.scopes.includes(scope))) {
      // The user may have granted less than the client asked for, which is no client defect.
      if (!method.scopes.some((scope) => token.grant.asked.has(scope))) {
        this.deps.violation(request, method.id, 'the client never asked for a scope that allows this method');
      }
      throw insufficientScopes();
    }
    return { user: token.grant.user, scopes };
  }
}

const LOGIN_REQUIRED = [
  {
    ...{ domain: 'global', reason: 'required', message: 'Login Required.' },
    ...{ locationType: 'header', location: 'Authorization' },
  },
  { status: 401, rpcStatus: 'UNAUTHENTICATED' },
] as const;

const INVALID_CREDENTIALS = {
  ...{ domain: 'global', reason: 'authError', message: 'Invalid Credentials' },
  ...{ locationType: 'header', location: 'Authorization' },
};

function notThere(routed: Exclude<Routed<MethodSpec>, Route<MethodSpec>>): IncorrectRequest {
  const violation = routed === 'unknown' ? 'no method has this path' : 'no method has this path and HTTP method';
  return new IncorrectRequest(
    violation,
    { domain: 'global', reason: 'notFound', message: 'Not Found' },
    { status: 404 },
  );
}

function insufficientScopes(): GoogleErrorResponse {
  return new GoogleErrorResponse(
    403,
    { domain: 'global', reason: 'insufficientPermissions', message: 'Insufficient Permission' },
    {
      message: 'Request had insufficient authentication scopes.',
      status: 'PERMISSION_DENIED',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
          domain: 'googleapis.com',
          metadata: { service: 'calendar-json.googleapis.com' },
        },
      ],
    },
  );
}

function presented(
  { status, headers = {}, body }: CalendarApiResponse,
  { response }: MethodSpec,
  { fields, prettyPrint }: Parameters,
): HttpResponse {
  const own = { 'cache-control': 'private, max-age=0, must-revalidate', ...headers };
  if (body === null || body === undefined) return emptyResponse(status, own);
  const shown = fields === null || response === undefined ? body : selectFields(fields, response.$ref, body);
  return jsonResponse(status, shown, { headers: own, indent: prettyPrint ? 1 : 0 });
}
