import { randomUUID } from 'node:crypto';
import type { Event } from '@microsoft/microsoft-graph-types';
import { DomainError, type WriteOptions } from '#domain';
import { eventNotFound, recordOf, textOf } from '#event-rules';
import { GraphFault } from '../contract.js';
import { fetchEvent, orNull, pathIn, readPage, type OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { madeByFilter, writtenProperties } from './own-properties.js';

/** A write that goes through only while the event is the one that was read. */
export interface Condition {
  /** As Graph wrote it; null: whatever it is by now. */
  etag: string | null;
}

export const ANY_VERSION: Condition = { etag: null };

/**
 * Makes an event, once for one transaction id: Graph answers a repeat with the event that it made before.
 * @param maker what the event is marked with
 * @throws DomainError Conflict when what it made has been deleted since
 */
export async function insertEvent(
  calendar: OpenCalendar,
  body: Event & { transactionId: string },
  maker = body.transactionId,
): Promise<OutlookEvent> {
  const { connection } = calendar;
  let graphId: string | undefined;
  try {
    const call = { method: 'POST', path: pathIn(calendar, 'events'), body } as const;
    graphId = textOf(recordOf(await connection.call('idempotent', call))['id']);
  } catch (error) {
    if (!(error instanceof GraphFault) || error.code !== 'ErrorDuplicateTransactionId') throw error;
    graphId = await madeBy(calendar, maker);
    if (graphId === undefined) throw deletedSince();
  }
  if (graphId === undefined) throw new DomainError('ProviderUnavailable', 'Microsoft made an event without an id.');
  // Extended properties are not among what it answers a write with.
  const event = await fetchEvent(calendar, graphId);
  if (event === null) throw deletedSince();
  return event;
}

/**
 * A repeat whose first answer was lost finds its own change behind the condition, by the mark that it left: that counts as
 * done (RFC 9110 §13.1.1).
 * @throws DomainError NotFound; GraphFault 412 when the condition does not hold
 */
export async function patchEvent(
  calendar: OpenCalendar,
  { graphId }: Pick<OutlookEvent, 'graphId'>,
  body: Event,
  condition: Condition,
): Promise<void> {
  const path = pathIn(calendar, 'events', graphId);
  const write = randomUUID();
  const marked = condition.etag === null ? body : markedWith(body, write);
  const call = { method: 'PATCH', path, body: marked, headers: ifMatch(condition) } as const;
  try {
    if ((await orNull(calendar.connection.call('idempotent', call))) === null) throw eventNotFound();
  } catch (error) {
    if (!isOvertaken(error) || (await fetchEvent(calendar, graphId))?.own.get('ucWrite') !== write) throw error;
  }
}

/** Somebody wrote in between: before the request came in, or while it was carried out. */
export function isOvertaken(error: unknown): boolean {
  if (!(error instanceof GraphFault)) return false;
  return error.status === 412 || (error.status === 409 && error.code === 'ErrorIrresolvableConflict');
}

/** One that is gone by now is deleted as well. @throws GraphFault 412 when the condition does not hold */
export async function deleteEvent(
  calendar: OpenCalendar,
  { graphId }: Pick<OutlookEvent, 'graphId'>,
  condition: Condition,
): Promise<void> {
  const path = pathIn(calendar, 'events', graphId);
  await orNull(calendar.connection.call('idempotent', { method: 'DELETE', path, headers: ifMatch(condition) }));
}

/** Outlook writes to all guests of an event, always. */
export function ignoredOptions({ notifyParticipants }: WriteOptions): string[] {
  return notifyParticipants === undefined || notifyParticipants === 'all' ? [] : ['notifyParticipants'];
}

/** Graph's id of the event that is marked so; undefined when there is none. */
export async function madeBy(calendar: OpenCalendar, maker: string): Promise<string | undefined> {
  const query = { $filter: madeByFilter(maker), $top: '1', $select: 'id' };
  const call = { method: 'GET', path: pathIn(calendar, 'events'), query } as const;
  const { rows } = readPage(calendar, await calendar.connection.call('read', call));
  return textOf(recordOf(rows[0])['id']);
}

function deletedSince(): DomainError {
  return new DomainError('Conflict', 'The event that this request made before has been deleted since.');
}

function markedWith(body: Event, write: string): Event {
  const { singleValueExtendedProperties: properties } = body;
  const marked = [...(properties ?? []), ...writtenProperties(new Map([['ucWrite', write]]))];
  return { ...body, singleValueExtendedProperties: marked };
}

function ifMatch({ etag }: Condition): Record<string, string> {
  return etag === null ? {} : { 'If-Match': etag };
}
