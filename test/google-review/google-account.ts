import type { Answer, CallOptions } from '../support/service.js';
import { startGoogleService, type GoogleService } from '../support/google-service.js';

/** Whose account the tests work on. */
export const ME = 'me@example.test';
/** Another user of the same Google. */
export const OTHER = 'other@example.test';

/** The service with an account of {@link ME}, and Google's own pages beside it. */
export interface GoogleAccount extends GoogleService {
  accountId: string;
  /** A call below `/v1/events/<account>/<calendar>`; `path` begins with a slash. */
  events<T = any>(method: string, calendarId: string, path?: string, options?: CallOptions): Promise<Answer<T>>;
  /** Creates an event, or fails the test. */
  create(calendarId: string, event: object): Promise<any>;
  /** Changes an event, or fails the test. */
  change(calendarId: string, eventId: string, change: object, query?: CallOptions['query']): Promise<any>;
  /** Reads a list to its end. */
  list(
    calendarId: string,
    query?: CallOptions['query'],
    path?: string,
  ): Promise<{ items: any[]; nextSyncToken: string }>;
  /** A call of the Calendar API by a user in Google's own pages; its body. */
  google(methodId: string, path: Record<string, string>, body?: unknown, email?: string): Promise<any>;
  /** Another calendar of the account, in Berlin. */
  newCalendar(): Promise<string>;
}

export async function openGoogleAccount(): Promise<GoogleAccount> {
  const world = await startGoogleService();
  const { sandbox, service } = world;
  await sandbox.addUser({ email: OTHER, timeZone: 'Europe/Berlin', workspace: true });
  const { accountId } = await world.connected(ME);
  const events: GoogleAccount['events'] = (method, calendarId, path = '', options = {}) =>
    service.call(method, `/v1/events/${accountId}/${encodeURIComponent(calendarId)}${path}`, options);
  const google: GoogleAccount['google'] = async (methodId, path, body, email = ME) => {
    const answer = await sandbox.act({ email, methodId, path, body });
    if (answer.status >= 300) throw new Error(`${methodId}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    ...world,
    accountId,
    events,
    google,
    create: async (calendarId, event) => bodyOf(await events('POST', calendarId, '', { body: event })),
    change: async (calendarId, eventId, change, query = {}) =>
      bodyOf(await events('PUT', calendarId, `/${eventId}`, { body: change, query })),
    async list(calendarId, query = {}, path = '') {
      const items: any[] = [];
      for (let pageToken: string | undefined; ;) {
        const body = bodyOf(await events('GET', calendarId, path, { query: { ...query, pageToken } }));
        items.push(...body.data);
        if (body.nextPageToken == null) return { items, nextSyncToken: body.nextSyncToken };
        pageToken = body.nextPageToken;
      }
    },
    async newCalendar() {
      const body = { name: 'Reviewed', timeZone: 'Europe/Berlin' };
      return bodyOf(await service.call('POST', `/v1/calendars/${accountId}`, { body })).id;
    },
    async stop() {
      try {
        await sandbox.expectNoViolations();
      } finally {
        await world.stop();
      }
    },
  };
}

function bodyOf({ status, body }: Answer): any {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}
