import { DomainError, type BusySlot, type FreeBusyOutcome, type FreeBusyRequest } from '#domain';
import { Pace } from '#platform/event-loop';
import { freeBusyOutcomes } from '#providers/kit/events';
import { IcsSyntaxError } from '#icalendar';
import type { CalDavConnection } from '../connection.js';
import { EventSource, ownAddresses, type EventOperationsDeps, type OpenCalendar } from './event-source.js';
import { queryFreeBusy } from './free-busy-query.js';
import type { RangeCandidates } from './range-candidates.js';
import { loadResources } from './resources.js';

/**
 * Busy time, computed from the events: the servers' own answers differ in zones, merging and clipping.
 * Only a calendar that shows nothing but its busy time is asked for it. An event that cannot be read may block any time:
 * the outcome of its calendar is an error then, for "free" would be a guess.
 */
export class FreeBusy {
  constructor(
    private readonly deps: EventOperationsDeps,
    private readonly candidates: RangeCandidates,
  ) {}

  /** @param told what a caller is told of an error, for calendars that fail by themselves */
  query(
    connection: CalDavConnection,
    request: FreeBusyRequest,
    told: (error: unknown) => unknown,
  ): Promise<FreeBusyOutcome[]> {
    return freeBusyOutcomes(request, {
      atOnce: 1,
      read: async (calendarId) => {
        const collection = await connection.collection(calendarId);
        return collection.freeBusyOnly
          ? queryFreeBusy(connection, collection, request.window)
          : this.compute({ connection, collection }, request);
      },
      told,
    });
  }

  /** @throws DomainError ProviderUnavailable when an object of the calendar cannot be read */
  private async compute({ connection, collection }: OpenCalendar, { window }: FreeBusyRequest): Promise<BusySlot[]> {
    const slots: BusySlot[] = [];
    const source = new EventSource(this.deps, { connection, collection });
    const reading = { window, floatingTimeZone: source.calendarTimeZone, ownAddresses: ownAddresses(connection) };
    const pace = new Pace();
    const listing = await this.candidates.list({ connection, collection }, window);
    for await (const batch of loadResources(connection, collection, listing, listing.length)) {
      for (const resource of batch) {
        await pace.step();
        const onUnexpandable = (reason: string) => source.report(resource, reason);
        const onUnreadable = (reason: string): never => {
          source.report(resource, reason);
          throw unreadable(resource.id);
        };
        if (resource.unreadable !== undefined) onUnreadable(resource.unreadable);
        try {
          slots.push(...this.deps.reader.busy(resource.text, { ...reading, onUnexpandable, onUnreadable }));
        } catch (error) {
          if (!(error instanceof IcsSyntaxError)) throw error;
          onUnreadable(error.message);
        }
      }
    }
    return slots;
  }
}

/** Named by its id: it can be deleted though it cannot be read. */
function unreadable(eventId: string): DomainError {
  const message = `the event ${eventId} in it cannot be read, so its busy time is not known.`;
  return new DomainError('ProviderUnavailable', message, {
    provider: { status: null, code: 'object-unreadable', message, retryable: false },
  });
}
