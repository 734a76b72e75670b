import type { CalendarProvider, ProviderBudget } from '#domain';
import { integer } from '#platform/settings';
import { calDavProvider, type CalDavAdapterParts } from './adapter.js';
import { ConnectionCache } from './connection.js';
import { CALDAV_FLAVOR, type CalDavFlavor } from './discovery.js';
import { EventReader } from './events/event-reader.js';
import { EventWriter } from './events/event-writer.js';
import { Servers } from './servers.js';

/** Of all members of this family. */
export const REQUESTS_PER_MINUTE = integer('CALDAV_REQUESTS_PER_MINUTE', {
  description: 'Requests toward the server of one APPLE or CALDAV account.',
  fallback: 240,
  min: 1,
  max: 1_000_000,
});

/** What an installation gives to the adapters of this family. */
export interface CalDavOptions extends Omit<
  CalDavAdapterParts,
  'connections' | 'servers' | 'reader' | 'writer' | 'limits'
> {
  budget: ProviderBudget;
  /** Toward the server of one account. */
  requestsPerMinute: number;
}

/** Any CalDAV server; or, with another flavor, a service that speaks CalDAV in its own way. */
export function createCalDavProvider(options: CalDavOptions, flavor: CalDavFlavor = CALDAV_FLAVOR): CalendarProvider {
  const { budget, requestsPerMinute } = options;
  return calDavProvider(flavor, {
    ...options,
    limits: { budget, requestsPerMinute },
    connections: new ConnectionCache(() => options.nowMs()),
    servers: new Servers(),
    reader: new EventReader(),
    writer: new EventWriter(),
  });
}

export { CALDAV_FLAVOR, type CalDavFlavor } from './discovery.js';

// What reading calendar objects takes wherever they come from.
export { hexColorOf, paletteColor } from './events/colors.js';
export { Lanes } from './dav/lanes.js';
export type { EventContext } from './events/contract.js';
export { EventReader } from './events/event-reader.js';
export { decodeDelivered, encodeDelivered } from './operations/cursors.js';
export { isShown, toStub } from './operations/event-source.js';
export { OrderedPage, PageRoom } from './operations/page-room.js';
export { sortedById } from './operations/sorted-by-id.js';
