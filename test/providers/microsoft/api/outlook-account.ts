import { hour } from '../../../support/berlin-times.js';
import { eventCalls, type EventCalls } from '../../../support/event-calls.js';
import { startMicrosoftService, type MicrosoftService } from '../../../support/microsoft-service.js';
import type { SandboxedSettings } from '../../../support/sandboxed-service.js';
import type { Answer } from '../../../support/service.js';

/** Whose account the tests work on. */
export const ME = 'ida@fabrikam.example';
/** A colleague with a mailbox in the same directory. */
export const OTHER = 'omar@fabrikam.example';

const IN_CALENDAR = 'me_calendars_By_calendar_id';

/** Of one event, below a calendar's. */
export const path = (eventId: string) => `/${encodeURIComponent(eventId)}`;

/** `404 NotFound` */
export const code = ({ status, body }: Answer) => `${status} ${body.code}`;

/** What an answer says that it did not write, sorted. */
export const ignoredBy = ({ headers }: Answer) => (headers.get('x-ignored-fields')?.split(', ') ?? []).sort();

/** Times of one hour of a day in Berlin, as Graph takes them. */
export function timed(date: string, hourOfDay?: number) {
  const { start, end } = hour(date, hourOfDay);
  return { start, end };
}

/** The service with an account of {@link ME}, and Outlook itself beside it. */
export interface OutlookAccount extends MicrosoftService, EventCalls {
  accountId: string;
  /** The default calendar of {@link ME}. */
  calendarId: string;
  /** A call of Graph by a user in Outlook; its body. `operation` as in the OpenAPI document, below `me`. */
  outlook(operation: string, path?: Record<string, string>, body?: unknown, email?: string): Promise<any>;
  /** An event as Outlook has it. */
  held(eventId: string, calendarId?: string, query?: Record<string, string>): Promise<any>;
  /** Changes an event as its owner does in Outlook. */
  touch(eventId: string, change: object, calendarId?: string, email?: string): Promise<any>;
  /** Makes an event as its owner does in Outlook. */
  made(event: object, calendarId?: string, email?: string): Promise<any>;
}

export async function openOutlookAccount(settings?: SandboxedSettings): Promise<OutlookAccount> {
  const fixture = await startMicrosoftService(settings);
  const { microsoft } = fixture.sandbox;
  await microsoft.addUser({ email: OTHER, mailboxTimeZone: 'W. Europe Standard Time' });
  const { accountId, calendarId } = await fixture.connected(ME);
  const call = async (
    methodId: string,
    more: { path?: Record<string, string>; query?: any; body?: unknown },
    email: string,
  ) => {
    const headers = { prefer: 'IdType="ImmutableId"' };
    const response = await microsoft.act({ email, methodId, headers, ...more });
    if (response.status >= 300) throw new Error(`${methodId}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body;
  };
  const ownCalendar = async (email: string) => (await call('get_me_calendar', {}, email)).id as string;
  return {
    ...fixture,
    ...eventCalls(fixture.service, accountId),
    accountId,
    calendarId,
    outlook: (operation, path = {}, body, email = ME) => call(operation, { path, body }, email),
    held: (eventId, inCalendar = calendarId, query = {}) =>
      call(
        `get_${IN_CALENDAR}_events_By_event_id`,
        { path: { 'calendar-id': inCalendar, 'event-id': eventId }, query },
        ME,
      ),
    touch: async (eventId, change, inCalendar, email = ME) =>
      call(
        `update_${IN_CALENDAR}_events_By_event_id`,
        { path: { 'calendar-id': inCalendar ?? (await ownCalendar(email)), 'event-id': eventId }, body: change },
        email,
      ),
    made: async (event, inCalendar, email = ME) =>
      call(
        `create_${IN_CALENDAR}_events`,
        { path: { 'calendar-id': inCalendar ?? (await ownCalendar(email)) }, body: event },
        email,
      ),
    async stop() {
      try {
        await fixture.sandbox.expectNoViolations();
      } finally {
        await fixture.stop();
      }
    },
  };
}
