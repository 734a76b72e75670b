import { setTimeout as sleep } from 'node:timers/promises';
import type { EditOptions } from '#domain/providers';
import { DomainError } from '#domain/system';
import { orNull, ProviderResponseError } from '../calls/provider-error.js';
import { eventNotFound } from '../calls/http.js';
import { splitInstanceId } from '../series/recurring-series.js';

const MAX_ATTEMPTS = 3;
const MAX_PAUSE_MS = 1_000;

export interface EditTarget<Event extends { etag: string | null }> {
  find(): Promise<Event>;
  /** Whether a conditional write failed because of a concurrent write. */
  isVersionConflict(error: unknown): boolean;
}

/**
 * Reads, changes and writes conditionally. Starts again after a concurrent write, unless the caller named a version.
 * Waits before that for a random part of the time that an attempt takes, so that writers do not meet again.
 * @throws DomainError NotFound, PreconditionFailed, Conflict
 */
export async function editEvent<Event extends { etag: string | null }, T>(
  ifMatch: string | undefined,
  target: EditTarget<Event>,
  attempt: (event: Event) => Promise<T>,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    const startMs = performance.now();
    const event = await target.find();
    if (ifMatch !== undefined && !namesVersion(ifMatch, event.etag)) throw preconditionFailed();
    try {
      return await attempt(event);
    } catch (error) {
      if (!target.isVersionConflict(error)) throw error;
      if (ifMatch !== undefined) throw preconditionFailed();
      if (attempts >= MAX_ATTEMPTS) {
        throw new DomainError('Conflict', 'The event is being changed by others at the same time. Try again.');
      }
      const tookMs = performance.now() - startMs;
      await pause(Math.min(MAX_PAUSE_MS, Math.random() * attempts * tookMs));
    }
  }
}

/**
 * {@link editEvent} for a deletion. An event that is gone after the first attempt counts as deleted.
 * @throws DomainError NotFound when it was missing at first, PreconditionFailed, Conflict
 */
export async function removeEvent<Event extends { etag: string | null }>(
  ifMatch: string | undefined,
  target: EditTarget<Event>,
  attempt: (event: Event) => Promise<void>,
): Promise<void> {
  let isTried = false;
  try {
    await editEvent(ifMatch, target, async (event) => {
      isTried = true;
      await attempt(event);
    });
  } catch (error) {
    if (!isTried || !(error instanceof DomainError) || error.code !== 'NotFound') throw error;
  }
}

/**
 * Returns the version of a deletion that needs no read of its event, null for any. Returns undefined when only a read
 * decides: for an instance, a scope, a list of tags, and a text that is no tag.
 */
export function versionToRemove(
  eventId: string,
  { scope, ifMatch }: Pick<EditOptions, 'scope' | 'ifMatch'>,
): string | null | undefined {
  if (scope !== undefined || splitInstanceId(eventId) !== null) return undefined;
  if (ifMatch === undefined || ifMatch.trim() === '*') return null;
  const tag = plainEtag(ifMatch);
  // RFC 9110 §8.8.3: etagc. A comma may separate two tags.
  return /^[\x21\x23-\x2b\x2d-\x7e]+$/.test(tag) ? tag : undefined;
}

/**
 * Deletes an event without reading it first.
 * @param version result of {@link versionToRemove}
 * @param send runs `onTry` before each try
 * @throws DomainError NotFound, PreconditionFailed; other errors of `send`
 */
export async function removeUnread(
  version: string | null,
  isVersionConflict: EditTarget<never>['isVersionConflict'],
  send: (onTry: () => void) => Promise<unknown>,
): Promise<void> {
  let tries = 0;
  try {
    const isThere = await orNull(send(() => void (tries += 1)).then(() => true));
    // After a lost answer this request has deleted the event.
    if (isThere === null && tries === 1) throw eventNotFound();
  } catch (error) {
    throw version !== null && isVersionConflict(error) ? preconditionFailed() : error;
  }
}

function preconditionFailed(): DomainError {
  return new DomainError('PreconditionFailed', 'The event has changed since the version named in If-Match.');
}

/** Returns an entity tag without quotes and weakness mark, as the public interface shows it. */
export function plainEtag(etag: string): string {
  const text = etag.trim().replace(/^W\//i, '');
  // A regular expression that matches both ends takes cubic time for a long row of quotes.
  let marks = 0;
  while (2 * marks + 1 < text.length && text[marks] === '"' && text.at(-1 - marks) === '"') marks += 1;
  return text.slice(marks, text.length - marks);
}

/** Whether an `If-Match` (RFC 9110 §13.1.1) with plain tags matches the version of an event. */
export function namesVersion(ifMatch: string, etag: string | null): boolean {
  if (ifMatch.trim() === '*') return true;
  return etag !== null && ifMatch.split(',').some((one) => plainEtag(one) === plainEtag(etag));
}

/** Reads after a confirmed write. A failed read yields `otherwise()`: an error would make callers repeat the write. */
export async function readAfterWrite<T>(signal: AbortSignal, read: () => Promise<T>, otherwise: () => T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (signal.aborted || error instanceof DomainError || error instanceof ProviderResponseError) return otherwise();
    throw error;
  }
}

/** A meeting that a provider creates after its answer. */
export interface PendingConference<Event> {
  pausesMs: readonly number[];
  connection: { session: { signal: AbortSignal }; pause(ms: number): Promise<void> };
  isPending: (event: Event) => boolean;
  read: (event: Event) => Promise<Event | null>;
}

/** Waits some seconds for a pending meeting, then returns the event with or without it. */
export async function awaitConference<Event>(
  event: Event,
  { pausesMs, connection, isPending, read }: PendingConference<Event>,
): Promise<Event> {
  let seen = event;
  for (const ms of pausesMs) {
    if (!isPending(seen)) break;
    const tryRead = async () => {
      await connection.pause(ms);
      return read(event);
    };
    const later = await readAfterWrite<Event | null>(connection.session.signal, tryRead, () => null);
    if (later === null) break;
    seen = later;
  }
  return seen;
}

/** @throws DomainError NotSupportedByProvider */
export function assertConferenceType(type: string, allowed: readonly string[]): void {
  if (allowed.includes(type)) return;
  const choice = allowed.length === 0 ? 'This calendar makes no online meetings.' : `It makes ${allowed.join(', ')}.`;
  throw new DomainError(
    'NotSupportedByProvider',
    `generateMeetingUrlProvider: this calendar cannot make a meeting of "${type.slice(0, 64)}". ${choice}`,
  );
}
