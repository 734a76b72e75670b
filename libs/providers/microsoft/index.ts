import type { CalendarProvider } from '#domain';
import { CalendarCache, CallPolicy } from '#providers/kit/calls';
import { microsoftProvider } from './adapter.js';
import { MicrosoftAuthorizationServer } from './authorization-server.js';
import { isPrimary, type OutlookCalendar } from './calendar-entry.js';
import { REQUESTS_AT_ONCE } from './connection.js';
import type { MicrosoftProviderDeps } from './contract.js';
import { REFUSALS } from './errors.js';
import { createMicrosoftEvents } from './events/index.js';
import { GraphLinks } from './graph-links.js';
import { graphRoot } from './graph-root.js';
import { GraphTransport } from './graph-transport.js';
import { MailboxZones } from './mailbox-zones.js';

/** MICROSOFT accounts: the Microsoft identity platform and Microsoft Graph. */
export function createMicrosoftProvider(deps: MicrosoftProviderDeps): CalendarProvider {
  const { egress, budget, slots, requestsPerMinute, graphUrl, loginUrl, timeoutMs } = deps;
  const root = graphRoot(graphUrl);
  const nowMs = () => deps.nowMs();
  return microsoftProvider({
    nowMs,
    limits: { budget, requestsPerMinute, slots: { pool: slots, size: REQUESTS_AT_ONCE } },
    root,
    transport: new GraphTransport({ egress, root, nowMs }),
    links: new GraphLinks(root),
    policy: new CallPolicy({ rules: REFUSALS, timeoutMs }),
    calendars: new CalendarCache<OutlookCalendar>({ isPrimary }),
    zones: new MailboxZones(nowMs),
    authorization: new MicrosoftAuthorizationServer({ egress, graphUrl, loginUrl, nowMs }),
    events: createMicrosoftEvents(deps),
  });
}

export type { MicrosoftProviderDeps, MicrosoftSettings } from './contract.js';
export { readMicrosoftPushes, type MicrosoftPush } from './push-messages.js';
