import { caller, type ClientOptions } from './call.js';
import type { BeginSignInData } from './generated/types.gen.js';
import { CalendarSubscriptions } from './resources/calendar-subscriptions.js';
import { Calendars } from './resources/calendars.js';
import { EndUserAccounts } from './resources/end-user-accounts.js';
import { Events } from './resources/events.js';
import { FreeBusy } from './resources/free-busy.js';
import { UsageReports } from './resources/usage.js';
import { WebhookEndpoints } from './resources/webhook-endpoints.js';

/** The service, as one application sees it. */
export interface UnifiedCalendarClient {
  endUserAccounts: EndUserAccounts;
  calendars: Calendars;
  events: Events;
  freeBusy: FreeBusy;
  calendarSubscriptions: CalendarSubscriptions;
  usage: UsageReports;
  webhookEndpoints: WebhookEndpoints;
}

export function createClient(options: ClientOptions): UnifiedCalendarClient {
  const call = caller(options);
  return {
    endUserAccounts: new EndUserAccounts(call),
    calendars: new Calendars(call),
    events: new Events(call),
    freeBusy: new FreeBusy(call),
    calendarSubscriptions: new CalendarSubscriptions(call),
    usage: new UsageReports(call),
    webhookEndpoints: new WebhookEndpoints(call),
  };
}

/**
 * Where to send a user's browser so that a GOOGLE or MICROSOFT account gets connected. No key is needed: whoever sees the
 * address can write another one. `endUserAccounts.authorizationUrl` makes one that nobody can change.
 */
export function signInUrl(
  baseUrl: string,
  { applicationId, provider, ...query }: BeginSignInData['path'] & NonNullable<BeginSignInData['query']>,
): string {
  const path = `/api/v1/oauth/authorize/${encodeURIComponent(applicationId)}/${provider}`;
  const url = new URL(baseUrl.replace(/\/+$/, '') + path);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
