import { STATUS_CODES, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { requestIdFrom } from '#platform';
import { envelopeOf, failure, type Failure } from '../errors/envelope.js';

/** @param headers name-value pairs of every response */
export function handleRawErrors(server: Server, headers: readonly (readonly string[])[]): void {
  const always = headers.map(([name, value]) => `${name}: ${value}`);
  const respond = (socket: Duplex, rejected: Failure) => respondOnce(socket, rejected, always);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => respond(socket, failureOf(error.code)));
  // CONNECT (RFC 9110 §9.3.6) opens a tunnel. Without a listener Node closes the connection silently.
  server.on('connect', (_request, socket) =>
    respond(socket, failure('MethodNotAllowed', 'This method is not available.')),
  );
  server.on('checkExpectation', (request) => {
    respond(request.socket, failure('ValidationFailed', 'The Expect header asks for something unknown.', 417));
  });
}

function failureOf(code: string | undefined): Failure {
  if (code === 'HPE_HEADER_OVERFLOW') return failure('PayloadTooLarge', 'The request header is too large.', 431);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return failure('ValidationFailed', 'The request was not sent in time.', 408);
  return failure('ValidationFailed', 'This is not a valid HTTP request.');
}

/** Time for the rest of a rejected request. An immediate close would reset the connection before the response. */
const LINGER_MS = 1_000;

const responded = new WeakSet<Duplex>();

function respondOnce(socket: Duplex, rejected: Failure, headers: readonly string[]): void {
  // The parser reports every further piece of a rejected request.
  if (responded.has(socket)) return;
  responded.add(socket);
  // A second response in the middle of a started one would read as part of it.
  const started = (socket as { _httpMessage?: { headersSent?: boolean } | null })._httpMessage?.headersSent === true;
  if (!socket.writable || started) {
    socket.destroy();
    return;
  }
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  const requestId = requestIdFrom(undefined);
  const body = JSON.stringify(envelopeOf(rejected, requestId));
  socket.end(
    [
      `HTTP/1.1 ${rejected.status} ${STATUS_CODES[rejected.status] ?? ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      ...headers,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  socket.resume();
}
