import { createHash, randomUUID } from 'node:crypto';
import { eventNotFound } from '#providers/kit/series';

/** Ids of Graph are base64, in one of its two alphabets. */
const GRAPH_ID = /^[A-Za-z0-9_\-=+/]{1,1024}$/;

/** @throws DomainError NotFound for what cannot be an id, without asking Graph */
export function checkEventId(id: string): string {
  if (!GRAPH_ID.test(id)) throw eventNotFound();
  return id;
}

/** The same for the same facts: Graph answers a repeated create with the event that it made before. */
export function derivedTransactionId(...facts: readonly (string | null)[]): string {
  return `uc-${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)}`;
}

export function randomTransactionId(): string {
  return `uc-${randomUUID()}`;
}
