import type { CalendarProvider } from '#domain';
import { CalendarCache, CallPolicy } from '#providers/kit/calls';
import { googleProvider } from './adapter.js';
import { GoogleAuthorizationServer } from './authorization-server.js';
import { isPrimary, type CalendarListEntry } from './calendar-entry.js';
import type { GoogleProviderDeps } from './contract.js';
import { googleEndpoints } from './endpoints.js';
import { REFUSALS } from './errors.js';
import { createGoogleEvents } from './events/index.js';

/** GOOGLE accounts: OAuth 2.0 and the Google Calendar API. */
export function createGoogleProvider(deps: GoogleProviderDeps): CalendarProvider {
  const { egress, budget, requestsPerMinute, timeoutMs } = deps;
  const endpoints = googleEndpoints(deps);
  const nowMs = () => deps.nowMs();
  return googleProvider({
    egress,
    nowMs,
    endpoints,
    limits: { budget, requestsPerMinute },
    policy: new CallPolicy({ rules: REFUSALS, timeoutMs }),
    calendars: new CalendarCache<CalendarListEntry>({ isPrimary }),
    authorization: new GoogleAuthorizationServer({ egress, endpoints, nowMs }),
    events: createGoogleEvents(deps),
  });
}

export type { GoogleProviderDeps, GoogleSettings } from './contract.js';
export { readGooglePush } from './push-message.js';
