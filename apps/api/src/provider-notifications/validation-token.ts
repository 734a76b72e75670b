import type { Request } from 'express';
import { invalid } from '#domain';

const NAME = 'validationToken';
/** Graph's have about a hundred. */
const MAX_BYTES = 1_024;

/**
 * What Graph wants to have repeated before it makes a subscription; null: it asks for nothing. Decoded once, by the query
 * parser: https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#notificationurl-validation
 * @throws DomainError ValidationFailed
 */
export function validationTokenOf(query: Request['query']): string | null {
  const token = query[NAME];
  if (token === undefined) return null;
  if (typeof token !== 'string') throw invalid(NAME, 'must be given once');
  if (token === '' || Buffer.byteLength(token) > MAX_BYTES) throw invalid(NAME, `must have 1 to ${MAX_BYTES} bytes`);
  return token;
}
