import { randomUUID } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Endpoint } from '../../front/front.js';
import { bearerToken, emptyResponse, jsonResponse, type HttpResponse, type HttpRequest } from '../../http/message.js';
import type { Route, Routed } from '../../http/path-templates.js';
import type { AccessToken, Grants } from '../../oauth/grants.js';
import type { GraphApi } from '../calendar/graph-api.js';
import { GraphErrorResponse, type GraphResponse, type GraphRequest, type MicrosoftUser } from '../contract.js';
import { isTenantId } from '../identity/tenants.js';
import { addressOf } from '../users.js';
import { Batch, BATCH } from './batch.js';
import { readBody } from './body.js';
import { routeOf, type GraphOperation } from './document.js';
import { errorBody, IncorrectRequest, INVALID_TOKEN_HEADERS, errorResponse, type Trace } from './graph-error.js';
import { parsePrefer } from './prefer.js';
import { readQuery } from './query.js';
import { findProblem } from './schemas.js';
import type { Throttle } from './throttle.js';

export const GRAPH_PATH = '/v1.0/';

export interface GraphEndpointDeps {
  grants: Grants<MicrosoftUser>;
  graph: GraphApi;
  throttle: Throttle;
  clock: { nowMs(): number };
  /** Runs calendar code; its violations go to `note`. */
  during<T>(note: (message: string) => void, run: () => Promise<T>): Promise<T>;
  /** Handles one part of a batch. */
  part(request: HttpRequest): Promise<HttpResponse>;
  violation(request: HttpRequest, methodId: string | null, message: string): void;
}

/** Endpoint below `/v1.0/`. Admits requests that the OpenAPI document, the token and the limits allow. */
export class GraphEndpoint {
  constructor(private readonly deps: GraphEndpointDeps) {}

  endpoint(request: HttpRequest): Endpoint {
    const routed = routeOf(request.method, request.path.slice(GRAPH_PATH.length));
    const operationId = typeof routed === 'string' ? null : routed.method.operationId;
    const token = this.deps.grants.accessToken(bearerToken(request) ?? '');
    return {
      kind: 'api',
      methodId: operationId,
      subject: () => (token === undefined ? null : addressOf(token.grant.user)),
      // A batch is no mailbox request; its parts are.
      ...(operationId !== BATCH && { admit: () => this.#admit(token) }),
      answer: () => this.#answer(request, routed, operationId),
    };
  }

  #admit(token: AccessToken<MicrosoftUser> | undefined): { leave: () => void } | { turnedAway: HttpResponse } {
    if (token === undefined || !this.deps.grants.isLive(token)) return { leave: () => undefined };
    try {
      return { leave: this.deps.throttle.enter(token.grant.clientId, token.grant.user) };
    } catch (error) {
      if (!(error instanceof GraphErrorResponse)) throw error;
      return { turnedAway: errorResponse(error, this.deps.clock.nowMs()) };
    }
  }

  async #answer(
    request: HttpRequest,
    routed: Routed<GraphOperation>,
    operationId: string | null,
  ): Promise<HttpResponse> {
    const trace = this.#traceOf(request, operationId);
    const headers = { 'request-id': trace.requestId, 'client-request-id': trace.clientRequestId };
    try {
      // Waits one turn, so that simultaneous requests count as concurrent.
      await nextTick();
      return presented(await this.#carryOut(request, routed), headers);
    } catch (error) {
      if (!(error instanceof GraphErrorResponse)) throw error;
      if (error instanceof IncorrectRequest) this.deps.violation(request, operationId, error.violation);
      return jsonResponse(error.status, errorBody(error, trace), { headers: { ...headers, ...error.headers } });
    }
  }

  async #carryOut(request: HttpRequest, routed: Routed<GraphOperation>): Promise<GraphResponse> {
    if (typeof routed === 'string') throw notThere(routed);
    const { method: operation } = routed;
    const { user, clientId, scopes } = this.#authorized(request, operation);
    const query = readQuery(operation, request.query);
    const body = readBody(operation, request);
    if (operation.operationId === BATCH) {
      return new Batch(request, (part) => this.deps.part(part)).run(body);
    }
    const prefer = parsePrefer(request.headers['prefer'] ?? '');
    const note = (message: string): void => this.deps.violation(request, operation.operationId, message);
    if (needsImmutableIds(operation) && prefer['idtype'] !== 'ImmutableId') note('no IdType="ImmutableId" in Prefer');
    const { operationId } = operation;
    const { headers } = request;
    const response = await this.deps.during(note, () =>
      this.deps.graph.handle({ operationId, user, clientId, scopes, path: routed.path, query, body, headers, prefer }),
    );
    const defect = defectOf(operation, response);
    if (defect !== null) note(`the sandbox failed: ${defect}`);
    return response;
  }

  #authorized(request: HttpRequest, operation: GraphOperation): Pick<GraphRequest, 'user' | 'clientId' | 'scopes'> {
    const token = this.deps.grants.accessToken(bearerToken(request) ?? '');
    if (token === undefined || !this.deps.grants.isLive(token)) {
      // A request without any token is a client defect; a token may expire at any time.
      if (request.headers['authorization'] === undefined) {
        throw new IncorrectRequest('no access token', 401, ...EMPTY_TOKEN, INVALID_TOKEN_HEADERS);
      }
      throw new GraphErrorResponse(401, ...EXPIRED_TOKEN, INVALID_TOKEN_HEADERS);
    }
    const scopes = [...this.deps.grants.scopesOf(token)];
    if (!scopes.some((scope) => operation.scopes.includes(scope))) {
      // The user or an administrator may have revoked consent, which is no client defect.
      if (!operation.scopes.some((scope) => token.grant.asked.has(scope))) {
        this.deps.violation(request, operation.operationId, 'the client never asked for a scope that allows this');
      }
      throw new GraphErrorResponse(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');
    }
    const { user, clientId } = token.grant;
    return { user, clientId, scopes };
  }

  #traceOf(request: HttpRequest, operationId: string | null): Trace {
    const given = request.headers['client-request-id'];
    const requestId = randomUUID();
    if (given !== undefined && !isTenantId(given.toLowerCase())) {
      this.deps.violation(request, operationId, 'client-request-id is no UUID');
    }
    return { requestId, clientRequestId: given ?? requestId, nowMs: this.deps.clock.nowMs() };
  }
}

const EMPTY_TOKEN = ['InvalidAuthenticationToken', 'Access token is empty.'] as const;
const EXPIRED_TOKEN = ['InvalidAuthenticationToken', 'Lifetime validation failed, the token is expired.'] as const;

/** Event ids depend on the preference; a client that mixes both forms cannot find its own events. */
function needsImmutableIds({ operationId, path }: GraphOperation): boolean {
  return /\/(?:events|calendarView)(?:\/|$)/.test(path) || operationId === 'createSubscription';
}

/** Returns a defect of a sandbox response; null for a valid one. */
export function defectOf({ operationId, answers }: GraphOperation, { status, body }: GraphResponse): string | null {
  const schema = answers.get(String(status));
  if (schema === undefined) return body === null ? null : `${operationId} answered ${status} with a body`;
  const problem = findProblem(schema, body);
  return problem === null ? null : `the answer of ${operationId} at ${problem.instancePath} ${problem.message}`;
}

function notThere(routed: Exclude<Routed<GraphOperation>, Route<GraphOperation>>): IncorrectRequest {
  if (routed === 'unknown') {
    const message = 'Resource not found for the segment.';
    return new IncorrectRequest('no operation has this path', 400, 'BadRequest', message);
  }
  const violation = 'no operation has this path and HTTP method';
  return new IncorrectRequest(violation, 405, 'ErrorInvalidRequest', 'The OData request is not supported.');
}

function presented({ status, headers: own = {}, body }: GraphResponse, traced: Record<string, string>): HttpResponse {
  const headers = { 'cache-control': 'private', ...traced, ...own };
  if (body === null || body === undefined) return emptyResponse(status, headers);
  const type = 'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8';
  return jsonResponse(status, body, { headers: { 'content-type': type, ...headers } });
}
