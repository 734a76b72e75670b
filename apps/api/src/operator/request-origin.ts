import { timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { DomainError } from '#domain/system';
import { hasBody } from '../http/read-body.interceptor.js';

const CSRF_HEADER = 'x-csrf-token';

/** Safe methods (RFC 9110 §9.2.1). */
export function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Browsers send `Origin` with every write; another site can neither forge it nor send JSON without a preflight.
 * @throws DomainError Forbidden
 */
export function assertFromOurPages(request: Request, ourOrigin: string): void {
  if (request.headers.origin !== ourOrigin) throw forbidden('Changes are taken from the pages of this service only.');
  const type = request.headers['content-type'];
  if (type === undefined ? hasBody(request) : !/^application\/json\s*(?:;|$)/i.test(type)) {
    throw forbidden('Send the body as application/json.');
  }
}

/** @throws DomainError Forbidden */
export function assertCsrfToken({ headers }: Request, csrfToken: string): void {
  const sent = Buffer.from(String(headers[CSRF_HEADER] ?? ''));
  const expected = Buffer.from(csrfToken);
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
    throw forbidden(`Send the csrfToken of the session in the header ${CSRF_HEADER}.`);
  }
}

function forbidden(message: string): DomainError {
  return new DomainError('Forbidden', message);
}
