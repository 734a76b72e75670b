import { requestIdFrom } from '#platform';
import { envelopeOf, failure } from '../errors/envelope.js';
import type { Refusal } from './load-shedder.js';

const RETRY_AFTER_SECONDS = 1;
const OVERLOADED = failure('Overloaded', 'More requests came than this instance can answer. Try again.');
/** A longer body than this, bytes, is not read for the sake of the connection. */
const LONGEST_UNREAD = 65_536;

/**
 * The 503 of a process that has too much to do: the envelope and headers of every other answer, written without what
 * makes answers.
 * @param headers names and values by turns, of every answer
 */
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
    // Node reads on what an answered request still brings.
    if (chunked !== undefined || Number(length) > LONGEST_UNREAD) own.push('connection', 'close');
    response.writeHead(OVERLOADED.status, always.concat(own));
    response.end(body);
  };
}
