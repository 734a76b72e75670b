import { isDeepStrictEqual } from 'node:util';
import type { CalendarEvent } from '#domain/events';
import { EventReader } from '../events/event-reader.js';
import type { DavCalendarHandle } from '../account-client.js';
import type { DavHttpResponse } from '../dav/contract.js';
import type { ServerFacts } from '../server-facts.js';
import type { ReadResource } from './event-resource.js';

interface WrittenObject {
  id: string;
  href: string;
  body: Buffer;
  /** To the PUT. */
  response: DavHttpResponse;
}

const ALWAYS = { startMs: null, endMs: null };

/**
 * Shows written objects without reading them back, on servers whose first objects came back equal. Many servers rewrite
 * objects, some of them behind a strong ETag (RFC 4791 §5.3.4), and those that schedule change objects with guests.
 */
export class WrittenObjects {
  constructor(private readonly facts: ServerFacts) {}

  /** @param read reads the object back */
  async stored<T extends ReadResource | null>(
    calendar: DavCalendarHandle,
    written: WrittenObject,
    read: () => Promise<T>,
  ): Promise<T | ReadResource> {
    const { origin } = calendar.connection.account;
    const own = ownResource(calendar, written);
    if (own !== null && this.facts.keepsObjects(origin)) return own;
    const found = await read();
    // Every other object says nothing about those that are shown as they were written.
    if (own !== null && found !== null && this.facts.isUndecided(origin)) {
      this.facts.recordObject(origin, isEqual(calendar, own, found));
    }
    return found;
  }
}

/** Returns null for an object that the server may change: with guests, at another place, or without a strong ETag. */
function ownResource(
  { connection }: DavCalendarHandle,
  { id, href, body, response }: WrittenObject,
): ReadResource | null {
  const { etag, scheduleTag, location } = response;
  const isHere = location === null || connection.client.pathOf(location) === connection.client.pathOf(href);
  if (!isHere || etag === null || /^W\//i.test(etag) || /^ATTENDEE[;:]/im.test(body.toString('utf8'))) return null;
  return { id, href, etag, scheduleTag, body };
}

function isEqual(calendar: DavCalendarHandle, own: ReadResource, found: ReadResource): boolean {
  const [ownEvents, foundEvents] = [eventsOf(calendar, own), eventsOf(calendar, found)];
  return own.id === found.id && own.etag === found.etag && isDeepStrictEqual(ownEvents, foundEvents);
}

/** Whether an object shows what was written: the response to the first try of a repeated PUT may have been lost. */
export function isStored(calendar: DavCalendarHandle, found: ReadResource, body: Buffer): boolean {
  const contentOf = (resource: ReadResource) =>
    eventsOf(calendar, resource).map((event) => ({ ...event, createdAt: undefined, updatedAt: undefined }));
  return isDeepStrictEqual(contentOf(found), contentOf({ ...found, body }));
}

function eventsOf({ collection }: DavCalendarHandle, { id, body }: ReadResource): CalendarEvent[] {
  const context = {
    eventId: id,
    calendarTimeZone: collection.timeZone ?? 'UTC',
    ownAddresses: [],
    privateProperties: new Map(),
  };
  return [...new EventReader().eachUnexpanded(body, context, ALWAYS)];
}
