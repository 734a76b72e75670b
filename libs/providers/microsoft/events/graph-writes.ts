import { randomUUID, createHash } from 'node:crypto';
import type { Event } from '@microsoft/microsoft-graph-types';
import type { WriteOptions } from '#domain/providers';
import { DomainError } from '#domain/system';
import { readAfterWrite, recordOf, removeUnread, textOf } from '#providers/kit/events';
import { eventNotFound } from '#providers/kit/series';
import { orNull } from '#providers/kit/calls';
import { GraphApiError } from '../errors.js';
import { fetchEvent, pathIn, readPage, type OutlookCalendarHandle } from './open-calendar.js';
import { type GraphEvent, readInstance, readOutlookEvent, type OutlookEvent } from './outlook-event.js';
import { madeByFilter, ownPropertiesOf, writtenProperties } from './own-properties.js';

export const ANY_VERSION: Condition = { etag: null };

/** A write with an etag succeeds only for the version that was read. */
type Condition = Pick<OutlookEvent, 'etag'>;

/**
 * Creates an event under a transaction id, with which Graph answers a repeat with the first event.
 * @param maker mark of the event
 * @throws DomainError Conflict when that event has been deleted since
 */
export async function insertEvent(
  calendar: OutlookCalendarHandle,
  body: Event & { transactionId: string },
  maker = body.transactionId,
): Promise<OutlookEvent> {
  const { connection } = calendar;
  let event: OutlookEvent | null;
  try {
    const call = { method: 'POST', path: pathIn(calendar, 'events'), body } as const;
    const response = recordOf(await connection.call('idempotent', call));
    const graphId = textOf(response['id']);
    if (graphId === undefined) throw new DomainError('ProviderUnavailable', 'Microsoft made an event without an id.');
    const made = () => readOutlookEvent(withOwn(response, body), calendar.timeZone);
    event = isWhole(response, body) && isNew(response) ? made() : await writtenEvent(calendar, graphId, made);
  } catch (error) {
    if (!(error instanceof GraphApiError) || error.code !== 'ErrorDuplicateTransactionId') throw error;
    const graphId = await madeBy(calendar, maker);
    event = graphId === undefined ? null : await fetchEvent(calendar, graphId);
  }
  if (event === null) {
    throw new DomainError('Conflict', 'The event that this request made before has been deleted since.');
  }
  return event;
}

/** @throws DomainError NotFound; GraphApiError 412 after a concurrent write */
export async function changeEvent(
  calendar: OutlookCalendarHandle,
  event: OutlookEvent,
  body: Event,
): Promise<OutlookEvent> {
  const response = await patchEvent(calendar, event, body, event);
  const changed = () => changedBy(calendar, event, body, response);
  // New times or another pattern of a series may change and delete its instances.
  const keepsInstances = !event.isSeries || RECURRENCE_FIELDS.every((field) => body[field] === undefined);
  if (keepsInstances && isWhole(response, body)) return changed();
  const written = await writtenEvent(calendar, event.graphId, changed);
  if (written === null) throw eventNotFound();
  return written;
}

const RECURRENCE_FIELDS = ['start', 'end', 'isAllDay', 'recurrence'] as const;
/** Between the two times of a new event. */
const CREATION_MS = 5_000;

/**
 * Whether Graph's answer to a write shows the event as a read does, apart from extended properties: with an etag, and
 * without a written text that it has turned into HTML.
 */
function isWhole(response: GraphEvent, { body }: Event): boolean {
  const isText = recordOf(response.body)['contentType'] === 'text';
  return textOf(response['@odata.etag']) !== undefined && (body === undefined || isText);
}

/** False for the event of an earlier try that has been changed since. */
function isNew({ createdDateTime, lastModifiedDateTime }: GraphEvent): boolean {
  return Date.parse(lastModifiedDateTime ?? '') - Date.parse(createdDateTime ?? '') <= CREATION_MS;
}

/**
 * A repeat after a lost answer that finds its own mark counts as done (RFC 9110 §13.1.1).
 * @param write mark of a conditional write
 * @returns Graph's answer, perhaps without extended properties
 * @throws DomainError NotFound; GraphApiError 412 when the condition fails
 */
export async function patchEvent(
  calendar: OutlookCalendarHandle,
  { graphId }: Pick<OutlookEvent, 'graphId'>,
  body: Event,
  condition: Condition,
  write = randomUUID() as string,
): Promise<GraphEvent> {
  const path = pathIn(calendar, 'events', graphId);
  const marked = condition.etag === null ? body : markedWith(body, write);
  const call = { method: 'PATCH', path, body: marked, headers: ifMatch(condition) } as const;
  try {
    const response = await orNull(calendar.connection.call('idempotent', call));
    if (response === null) throw eventNotFound();
    return recordOf(response);
  } catch (error) {
    const there = isVersionConflict(error) ? await fetchEvent(calendar, graphId) : null;
    if (there?.own.get('ucWrite') !== write) throw error;
    return there.raw;
  }
}

/** Whether a concurrent write came between the read and the end of the write. */
export function isVersionConflict(error: unknown): boolean {
  if (!(error instanceof GraphApiError)) return false;
  return error.status === 412 || (error.status === 409 && error.code === 'ErrorIrresolvableConflict');
}

/** Treats a missing event as deleted. @throws GraphApiError 412 when the condition fails */
export async function deleteEvent(
  calendar: OutlookCalendarHandle,
  { graphId }: Pick<OutlookEvent, 'graphId'>,
  condition: Condition,
): Promise<void> {
  const path = pathIn(calendar, 'events', graphId);
  await orNull(calendar.connection.call('idempotent', { method: 'DELETE', path, headers: ifMatch(condition) }));
}

/**
 * Deletes an event that was not read before.
 * @param version plain tag; null for any
 * @throws DomainError NotFound, PreconditionFailed
 */
export async function deleteById(
  calendar: OutlookCalendarHandle,
  graphId: string,
  version: string | null,
): Promise<void> {
  const path = pathIn(calendar, 'events', graphId);
  // Graph's tags are weak (`@odata.etag`).
  const headers = ifMatch({ etag: version === null ? null : `W/"${version}"` });
  const call = { method: 'DELETE', path, headers } as const;
  await removeUnread(version, isVersionConflict, (onTry) => calendar.connection.call('idempotent', call, onTry));
}

/** Outlook always notifies all guests. */
export function ignoredOptions({ notifyParticipants }: WriteOptions): string[] {
  return notifyParticipants === undefined || notifyParticipants === 'all' ? [] : ['notifyParticipants'];
}

export async function madeBy(calendar: OutlookCalendarHandle, maker: string): Promise<string | undefined> {
  const query = { $filter: madeByFilter(maker), $top: '1', $select: 'id' };
  const call = { method: 'GET', path: pathIn(calendar, 'events'), query } as const;
  const { rows } = readPage(calendar, await calendar.connection.call('read', call));
  return textOf(recordOf(rows[0])['id']);
}

/** Reads an event again. Returns null when it is gone. */
export function writtenEvent(calendar: OutlookCalendarHandle, graphId: string, returned: () => OutlookEvent) {
  const { signal } = calendar.connection.session;
  return readAfterWrite<OutlookEvent | null>(signal, () => fetchEvent(calendar, graphId), returned);
}

function changedBy(
  calendar: OutlookCalendarHandle,
  before: OutlookEvent,
  body: Event,
  response: GraphEvent,
): OutlookEvent {
  const { id, seriesId, originalStart, recurrence, exceptionIds } = before;
  const raw = withOwn(response, body, before);
  if (seriesId === null) {
    const event = readOutlookEvent(raw, calendar.timeZone);
    // Another pattern drops changes of single instances.
    return body.recurrence === undefined ? { ...event, recurrence, exceptionIds } : event;
  }
  const graphId = textOf(before.raw.seriesMasterId) ?? '';
  const series = { ...before, id: seriesId, graphId, start: originalStart };
  const place = { seriesMasterId: graphId, originalStart: before.raw.originalStart };
  const instance = readInstance({ ...raw, ...place }, series, calendar.timeZone);
  return { ...(instance ?? before), id, originalStart };
}

function withOwn(response: GraphEvent, written: Event, before?: OutlookEvent): GraphEvent {
  const own = new Map([...(before?.own ?? []), ...ownPropertiesOf(written)]);
  return { ...response, singleValueExtendedProperties: writtenProperties(own) };
}

function markedWith(body: Event, write: string): Event {
  const { singleValueExtendedProperties: properties } = body;
  const marked = [...(properties ?? []), ...writtenProperties(new Map([['ucWrite', write]]))];
  return { ...body, singleValueExtendedProperties: marked };
}

function ifMatch({ etag }: Condition): Record<string, string> {
  return etag === null ? {} : { 'If-Match': etag };
}

/** Returns the same id for the same facts: Graph answers a repeated creation with the first event. */
export function derivedTransactionId(...facts: readonly (string | null)[]): string {
  return `uc-${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)}`;
}

/** A repeated request gets the same id, so Graph reports that the event exists (hardening F23). */
export function newTransactionId(
  { connection, id }: OutlookCalendarHandle,
  idempotencyKey: string | undefined,
): string {
  if (idempotencyKey === undefined) return `uc-${randomUUID()}`;
  const { applicationId, accountId } = connection.session;
  return derivedTransactionId('create', applicationId, accountId, id, idempotencyKey);
}
