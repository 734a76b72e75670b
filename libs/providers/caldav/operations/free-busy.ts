import { DomainError, type BusySlot, type FreeBusyOutcome, type FreeBusyRequest } from '#domain';
import { IcsSyntaxError, mergeBusy } from '#icalendar';
import type { CalDavConnection } from '../dav/contract.js';
import { davFailure, DavStatusError } from '../dav/dav-errors.js';
import { EventSource, ownAddresses, type EventOperationsDeps, type OpenCalendar } from './event-source.js';
import { queryFreeBusy } from './free-busy-query.js';
import type { RangeCandidates } from './range-candidates.js';
import { loadResources } from './resources.js';

/** What concerns the whole account, or the request, is not one calendar's outcome. */
const FATAL: ReadonlySet<string> = new Set(['CredentialsRejected', 'RateLimited', 'InternalServerError']);

/**
 * Busy time, computed from the events: the servers' own answers differ in zones, merging and clipping.
 * Only a calendar that shows nothing but its busy time is asked for it.
 */
export class FreeBusy {
  constructor(
    private readonly deps: EventOperationsDeps,
    private readonly candidates: RangeCandidates,
  ) {}

  async query(connection: CalDavConnection, request: FreeBusyRequest): Promise<FreeBusyOutcome[]> {
    const outcomes = new Map<string, FreeBusyOutcome>();
    for (const calendarId of new Set(request.calendarIds)) {
      outcomes.set(calendarId, await this.outcome(connection, calendarId, request));
    }
    return request.calendarIds.map((calendarId) => outcomes.get(calendarId)!);
  }

  private async outcome(
    connection: CalDavConnection,
    calendarId: string,
    request: FreeBusyRequest,
  ): Promise<FreeBusyOutcome> {
    try {
      const collection = await connection.collection(calendarId);
      const slots = collection.freeBusyOnly
        ? await queryFreeBusy(connection, collection, request.window)
        : await this.compute({ connection, collection }, request);
      return { calendarId, busySlots: mergeBusy(slots, request.window) };
    } catch (cause) {
      const error = cause instanceof DavStatusError ? davFailure(cause, 'read') : cause;
      if (!(error instanceof DomainError) || FATAL.has(error.code)) throw cause;
      return { calendarId, error };
    }
  }

  private async compute({ connection, collection }: OpenCalendar, { window }: FreeBusyRequest): Promise<BusySlot[]> {
    const slots: BusySlot[] = [];
    const source = new EventSource(this.deps, { connection, collection });
    const reading = { window, floatingTimeZone: source.calendarTimeZone, ownAddresses: ownAddresses(connection) };
    const listing = await this.candidates.list({ connection, collection }, window);
    for await (const batch of loadResources(connection, collection, listing, listing.length)) {
      for (const resource of batch) {
        if (resource.unreadable !== undefined) {
          source.report(resource, resource.unreadable);
          continue;
        }
        const onUnexpandable = (reason: string) => source.report(resource, reason);
        try {
          slots.push(...this.deps.reader.busy(resource.text, { ...reading, onUnexpandable }));
        } catch (error) {
          if (!(error instanceof IcsSyntaxError)) throw error;
          source.report(resource, error.message);
        }
      }
    }
    return slots;
  }
}
