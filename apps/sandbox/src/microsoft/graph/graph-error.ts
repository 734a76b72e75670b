import { randomUUID } from 'node:crypto';
import { html, htmlResponse } from '../../http/html.js';
import { jsonResponse, type HttpResponse } from '../../http/message.js';
import { GraphErrorResponse } from '../contract.js';

/** A request that no correct client sends. The response has Graph's words, the journal the more precise `violation`. */
export class IncorrectRequest extends GraphErrorResponse {
  constructor(
    readonly violation: string,
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(status, code, message, headers);
  }
}

/** Ids in a response, for support requests to Microsoft. */
export interface Trace {
  requestId: string;
  clientRequestId: string;
  nowMs: number;
}

/** https://learn.microsoft.com/graph/errors#json-representation */
export function errorBody({ code, message }: Pick<GraphErrorResponse, 'code' | 'message'>, trace: Trace): unknown {
  const innerError = {
    date: new Date(trace.nowMs).toISOString().slice(0, 19),
    'request-id': trace.requestId,
    'client-request-id': trace.clientRequestId,
  };
  return { error: { code, message, innerError } };
}

/** Default code of each status. */
const USUAL_CODES: Readonly<Record<number, string>> = {
  401: 'InvalidAuthenticationToken',
  403: 'ErrorAccessDenied',
  404: 'ErrorItemNotFound',
  409: 'ErrorIrresolvableConflict',
  410: 'SyncStateNotFound',
  412: 'ErrorIrresolvableConflict',
  429: 'ApplicationThrottled',
  503: 'serviceNotAvailable',
};

function usualCode(status: number): string {
  return USUAL_CODES[status] ?? (status >= 500 ? 'UnknownError' : 'ErrorInvalidRequest');
}

export const INVALID_TOKEN_HEADERS = {
  'www-authenticate':
    'Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize", client_id="00000003-0000-0000-c000-000000000000"',
};

/** @param code of a configured fault; undefined for the default of the status */
export function errorFor(status: number, code: string | undefined): GraphErrorResponse {
  const headers = status === 401 ? INVALID_TOKEN_HEADERS : {};
  return new GraphErrorResponse(status, code ?? usualCode(status), 'The request was refused.', headers);
}

export function errorResponse(rejection: GraphErrorResponse, nowMs: number): HttpResponse {
  const trace = { requestId: randomUUID(), clientRequestId: randomUUID(), nowMs };
  return jsonResponse(rejection.status, errorBody(rejection, trace), { headers: { ...rejection.headers } });
}

/** Microsoft's page for an unreachable backend. */
export function brokenFrontEnd(): HttpResponse {
  const page = html`<!doctype html>
    <html lang="en">
      <title>502 Bad Gateway</title>
      <center><h1>502 Bad Gateway</h1></center>
      <hr />
      <center>Microsoft-Azure-Application-Gateway/v2</center>
    </html>`;
  return htmlResponse(502, page);
}
