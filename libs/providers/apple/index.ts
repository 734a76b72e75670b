import type { CalendarProvider } from '#domain';
import { createCalDavProvider, type CalDavOptions } from '#providers/caldav';
import { appleFlavor } from './apple-flavor.js';

/**
 * APPLE accounts: CalDAV in iCloud's way.
 * @param root of the CalDAV service; {@link ICLOUD_ROOT} outside of tests and sovereign set-ups
 */
export function createAppleProvider(root: string, options: CalDavOptions): CalendarProvider {
  return createCalDavProvider(options, appleFlavor(root));
}

export { appleFlavor, ICLOUD_ROOT } from './apple-flavor.js';
