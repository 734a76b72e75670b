import { createHash, randomUUID } from 'node:crypto';
import { DomainError } from '#domain';

/** Ids of Graph are base64, in one of its two alphabets. */
const GRAPH_ID = /^[A-Za-z0-9_\-=+/]{1,1024}$/;
/** From the right: ids of Graph hold underscores of their own. */
const INSTANCE_ID = /^(.+)_(\d{8}(?:t\d{6}z)?)$/is;

/** @throws DomainError NotFound for what cannot be an id, without asking Graph */
export function checkEventId(id: string): string {
  if (!GRAPH_ID.test(id)) throw eventNotFound();
  return id;
}

/** `<seriesId>_<date>` taken apart; null for an id of another form. */
export function splitInstanceId(id: string): { seriesId: string; date: string } | null {
  const [, seriesId, date] = INSTANCE_ID.exec(id) ?? [];
  return seriesId === undefined || date === undefined ? null : { seriesId, date: date.toUpperCase() };
}

/** The same for the same facts: Graph answers a repeated create with the event that it made before. */
export function derivedTransactionId(...facts: readonly (string | null)[]): string {
  return `uc-${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)}`;
}

export function randomTransactionId(): string {
  return `uc-${randomUUID()}`;
}

export function eventNotFound(): DomainError {
  return new DomainError('NotFound', 'There is no event with this id in the calendar.');
}
