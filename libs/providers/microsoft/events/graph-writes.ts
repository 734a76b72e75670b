import type { Event } from '@microsoft/microsoft-graph-types';
import { DomainError, type WriteOptions } from '#domain';
import { eventNotFound, recordOf, textOf } from '#event-rules';
import { GraphFault } from '../contract.js';
import { fetchEvent, orNull, pathIn, readPage, type OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { madeByFilter } from './own-properties.js';

/** A write that goes through only while the event is the one that was read. */
export interface Condition {
  /** As Graph wrote it; null: whatever it is by now. */
  etag: string | null;
}

export const ANY_VERSION: Condition = { etag: null };

/**
 * Makes an event, once for one transaction id: Graph answers a repeat with the event that it made before.
 * @throws DomainError Conflict when what it made has been deleted since
 */
export async function insertEvent(
  calendar: OpenCalendar,
  body: Event & { transactionId: string },
): Promise<OutlookEvent> {
  const { connection } = calendar;
  let graphId: string | undefined;
  try {
    const call = { method: 'POST', path: pathIn(calendar, 'events'), body } as const;
    graphId = textOf(recordOf(await connection.call('idempotent', call))['id']);
  } catch (error) {
    if (!(error instanceof GraphFault) || error.code !== 'ErrorDuplicateTransactionId') throw error;
    graphId = await madeBy(calendar, body.transactionId);
    if (graphId === undefined) throw deletedSince();
  }
  if (graphId === undefined) throw new DomainError('ProviderUnavailable', 'Microsoft made an event without an id.');
  // Extended properties are not among what it answers a write with.
  const event = await fetchEvent(calendar, graphId);
  if (event === null) throw deletedSince();
  return event;
}

/** @throws DomainError NotFound; GraphFault 412 when the condition does not hold */
export async function patchEvent(
  calendar: OpenCalendar,
  { graphId }: Pick<OutlookEvent, 'graphId'>,
  body: Event,
  condition: Condition,
): Promise<void> {
  const path = pathIn(calendar, 'events', graphId);
  const call = { method: 'PATCH', path, body, headers: ifMatch(condition) } as const;
  if ((await orNull(calendar.connection.call('idempotent', call))) === null) throw eventNotFound();
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

async function madeBy(calendar: OpenCalendar, transactionId: string): Promise<string | undefined> {
  const query = { $filter: madeByFilter(transactionId), $top: '1', $select: 'id' };
  const call = { method: 'GET', path: pathIn(calendar, 'events'), query } as const;
  const { rows } = readPage(calendar, await calendar.connection.call('read', call));
  return textOf(recordOf(rows[0])['id']);
}

function deletedSince(): DomainError {
  return new DomainError('Conflict', 'The event that this request made before has been deleted since.');
}

function ifMatch({ etag }: Condition): Record<string, string> {
  return etag === null ? {} : { 'If-Match': etag };
}
