import type { CalendarProvider } from '#domain';
import { CalDavProvider, type CalDavProviderDeps } from './caldav.provider.js';
import { ConnectionCache } from './connection.js';
import { CALDAV_FLAVOR, type CalDavFlavor } from './discovery.js';
import { CalendarObjectReader } from './events/event-reader.js';
import { CalendarObjectWriter } from './events/event-writer.js';

/** What an installation gives to the adapters of this family. */
export type CalDavOptions = Omit<CalDavProviderDeps, 'connections' | 'reader' | 'writer'>;

/** Any CalDAV server; or, with another flavor, a service that speaks CalDAV in its own way. */
export function createCalDavProvider(options: CalDavOptions, flavor: CalDavFlavor = CALDAV_FLAVOR): CalendarProvider {
  return new CalDavProvider(flavor, {
    ...options,
    connections: new ConnectionCache(() => options.nowMs()),
    reader: new CalendarObjectReader(),
    writer: new CalendarObjectWriter(),
  });
}

export { CALDAV_FLAVOR, type CalDavFlavor } from './discovery.js';
export { UnreadableObjects } from './operations/event-source.js';
