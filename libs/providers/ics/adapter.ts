import type { ProviderAdapter } from '#providers/kit/adapter';
import { freeBusyOutcomes } from '#providers/kit/events';
import { eventNotFound } from '#providers/kit/series';
import { syncCalendarsBySnapshot } from '#providers/kit/sync';
import { toProviderState } from './account-state.js';
import { FeedAccountClient, readOnly } from './feed-client.js';
import { toConnectError } from './feed-error.js';
import { FeedReads, type FeedReadsDeps } from './feed-reads.js';
import { FeedSource } from './feed-source.js';
import { feedIdOf, feedUrlOf } from './feed-url.js';
import { OBJECT_ID_LENGTH } from './feed.js';
import { Feeds, type FeedsOptions } from './feeds.js';

export interface IcsDeps extends FeedsOptions, FeedReadsDeps {}

/** Ids of instances are `<object>_<date>`. */
function splitId(eventId: string): { objectId: string; instanceDate: string | null } {
  const isInstance = eventId[OBJECT_ID_LENGTH] === '_';
  return {
    objectId: isInstance ? eventId.slice(0, OBJECT_ID_LENGTH) : eventId,
    instanceDate: isInstance ? eventId.slice(OBJECT_ID_LENGTH + 1) : null,
  };
}

/** Calendar feeds (RFC 5545) at a secret address. Calls of a process share the state of a feed, to download rarely. */
export function icsAdapter(deps: IcsDeps) {
  const feeds = new Feeds(deps);
  const reads = new FeedReads(deps);

  return {
    open: (session) => new FeedAccountClient(feeds, session),

    /** @throws DomainError ValidationFailed, ServerNotAllowed, CredentialsRejected, ProviderUnavailable, ProviderTimeout */
    async connect({ applicationId, credentials, name, signal }) {
      const url = feedUrlOf(credentials);
      const id = feedIdOf(applicationId, url);
      const request = { id, url, identity: 'uid', sample: {}, staleSinceMs: null, signal } as const;
      try {
        const { identity, sample } = await feeds.fresh(request);
        return {
          email: url.host,
          serverUrl: null,
          providerAccountId: id,
          authorizedScopes: [],
          providerState: toProviderState({
            name: name?.trim() || null,
            identity,
            sample: identity === 'uid' ? sample : {},
            staleSinceMs: null,
          }),
        };
      } catch (error) {
        throw toConnectError(error);
      }
    },

    /** Makes no request while the downloaded feed is current. @throws DomainError CredentialsRejected */
    async verify(connection) {
      await connection.only();
      return true;
    },

    calendars: {
      async list(connection, list) {
        const { calendar } = await connection.only();
        return syncCalendarsBySnapshot([{ calendar, key: calendar.id }], list);
      },
      async get(connection, calendarId) {
        return (await connection.calendar(calendarId)).calendar;
      },
      async create(): Promise<never> {
        throw readOnly();
      },
      update: rejectWrite,
      delete: rejectWrite,
    },

    events: {
      async list(connection, calendarId, list) {
        return reads.list(await connection.calendar(calendarId), list);
      },
      async occurrences(connection, calendarId, eventId, { query, ...list }) {
        const open = await connection.calendar(calendarId);
        const { objectId } = splitId(eventId);
        // A sync reports that the series is gone; a first read fails.
        if (list.sync === null && open.feed.find(objectId) === null) throw eventNotFound();
        const orderBy = query.orderBy ?? 'startDateTime';
        return reads.list(open, { ...list, query: { ...query, expandRecurrences: true, orderBy } }, objectId);
      },
      async get(connection, calendarId, eventId) {
        const open = await connection.calendar(calendarId);
        const { objectId, instanceDate } = splitId(eventId);
        const object = open.feed.find(objectId);
        const event = object === null ? null : new FeedSource(open, deps.unreadable, true).one(object, instanceDate);
        if (event === null) throw eventNotFound();
        return event;
      },
      create: rejectWrite,
      update: rejectWrite,
      delete: rejectWrite,
      respond: rejectWrite,
    },

    freeBusy(connection, request, toDomainError) {
      return freeBusyOutcomes(request, {
        atOnce: 1,
        async read(calendarId) {
          const open = await connection.calendar(calendarId);
          const source = new FeedSource(open, deps.unreadable);
          const slots = [];
          for (const object of open.feed.objectsFrom('', request.window)) {
            slots.push(...(await source.busy(object, request.window)));
          }
          return slots;
        },
        toError: toDomainError,
      });
    },

    /** All errors are `DomainError` already. */
    toDomainError: (error) => error,
  } satisfies ProviderAdapter<FeedAccountClient>;
}

async function rejectWrite(connection: FeedAccountClient, calendarId: string): Promise<never> {
  return connection.rejectWrite(calendarId);
}
