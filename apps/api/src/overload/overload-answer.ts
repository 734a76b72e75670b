import { requestIdFrom } from '#platform';
import { envelopeOf, failure } from '../errors/envelope.js';
import type { Refusal } from './load-shedder.js';

const RETRY_AFTER_SECONDS = 1;
const OVERLOADED = failure('Overloaded', 'More requests came than this instance can answer. Try again.');
/** Bytes. A connection with a longer unread body is closed. */
const LONGEST_UNREAD = 65_536;

/** @param headers of every response, names and values alternating */
export function overloadAnswer(headers: readonly string[]): Refusal {
  const always = [
    ...headers,
    ...['content-type', 'application/json; charset=utf-8'],
    ...['retry-after', String(RETRY_AFTER_SECONDS)],
  ];
  return (request, response) => {
    const requestId = requestIdFrom(request.headers['x-request-id']);
    const body = JSON.stringify(envelopeOf(OVERLOADED, requestId));
    const own = ['x-request-id', requestId, 'content-length', String(Buffer.byteLength(body))];
    const { 'content-length': length = '0', 'transfer-encoding': chunked } = request.headers;
    // Node reads the rest of a body after the response.
    if (chunked !== undefined || Number(length) > LONGEST_UNREAD) own.push('connection', 'close');
    response.writeHead(OVERLOADED.status, always.concat(own));
    response.end(body);
  };
}
