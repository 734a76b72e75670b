import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { HttpAnswer, HttpRequest } from './message.js';

const compress = promisify(gzip);

/** The answer in the coding that the request asks for. */
export async function encoded(request: HttpRequest, answer: HttpAnswer): Promise<HttpAnswer> {
  const headers = { ...answer.headers, vary: 'Accept-Encoding' };
  if (answer.body.length === 0 || !acceptsGzip(request.headers['accept-encoding'] ?? '')) return { ...answer, headers };
  return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' }, body: await compress(answer.body) };
}

/** RFC 9110 §12.5.3; a weight of 0 forbids. */
function acceptsGzip(accepted: string): boolean {
  return accepted
    .toLowerCase()
    .split(',')
    .some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)[\d.]+\s*)?$/.test(coding));
}
