import { WHOLE_CALENDAR, type AccountSession, type CalendarProvider, type EventQuery } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import { GuardedEgress } from '#egress';
import { createGoogleProvider } from '#providers/google';
import { MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { oauthSession } from '#domain/testing/oauth-session';
import { openSandbox } from '../../../support/opened-sandbox.js';
import { readEvents } from '#domain/testing/read-events';

/** Organises what the tests are about. */
export const ALICE = 'alice@example.test';
/** Has a calendar of the same sandbox, so that invitations arrive. */
export const BOB = 'bob@example.test';

const CLIENT = {
  clientId: 'adapter.apps.sandbox',
  clientSecret: 'adapter-secret',
  redirectUris: ['http://127.0.0.1/'],
};

/** The whole of a year, series expanded. */
export const EXPANDED: EventQuery = {
  ...WHOLE_CALENDAR,
  window: { startMs: Date.UTC(2027, 0, 1), endMs: Date.UTC(2028, 0, 1) },
  expandRecurrences: true,
};

/** The adapter on the sandbox, both in this process, with accounts for Alice and Bob. */
export async function openGoogle() {
  const { sandbox, control } = await openSandbox();
  const egress = new GuardedEgress({ allow: '127.0.0.0/8' });
  const snapshots = new MemorySnapshots();
  const provider: CalendarProvider = createGoogleProvider({
    egress,
    budget: new UnlimitedRate(),
    snapshots,
    apiUrl: sandbox.urls.google,
    oauthUrl: sandbox.urls.google,
    tokenUrl: sandbox.urls.google,
    requestsPerMinute: 100_000,
    timeoutMs: 30_000,
    nowMs: () => Date.now(),
  });
  await control('POST', '/google/clients', CLIENT);
  const sessionOf = async (email: string): Promise<AccountSession> => {
    await control('POST', '/google/users', { email, timeZone: 'Europe/Berlin', workspace: true });
    const scopes = ['openid', 'email', 'https://www.googleapis.com/auth/calendar'];
    const grant = await control('POST', '/google/grants', { email, clientId: CLIENT.clientId, scopes });
    return oauthSession(email, { clientId: CLIENT.clientId, ...grant });
  };
  const session = await sessionOf(ALICE);
  const bob = await sessionOf(BOB);
  return {
    provider,
    session,
    bob,
    snapshots,
    control,
    /** A call of the Calendar API as Google's own pages would make it. */
    async act(methodId: string, path: Record<string, string>, body?: unknown, email = ALICE): Promise<any> {
      const response = await control('POST', '/google/act', { email, methodId, path, body });
      if (response.status >= 300) throw new Error(`${methodId}: ${response.status} ${JSON.stringify(response.body)}`);
      return response.body;
    },
    /** Answers chosen requests with an error; see the sandbox's faults. */
    async fault(match: object, action: object, limits: object = { times: 1 }): Promise<void> {
      await control('POST', '/google/faults', { match, action, ...limits });
    },
    /** Names of the methods called since the last look. */
    async requests(): Promise<string[]> {
      const requests = await control('GET', '/google/requests');
      await control('DELETE', '/google/requests');
      return requests.flatMap(({ methodId }: any) => methodId ?? []);
    },
    /** Another calendar of Alice's. */
    async newCalendar(name = 'Work'): Promise<string> {
      const { calendar } = await provider.createCalendar(session, { name, timeZone: 'Europe/Berlin' }, {});
      return calendar.id;
    },
    /** Reads to the end. */
    list(calendarId: string, query = WHOLE_CALENDAR, sync: JsonValue | null = null, pageSize = 100) {
      return readEvents((list) => provider.listEvents(session, calendarId, list), { query, pageSize, sync });
    },
    /** Fails when the adapter sent what no correct client sends. */
    async close() {
      const violations = await control('GET', '/google/violations');
      await egress.close();
      await sandbox.close();
      expect(violations).toEqual([]);
    },
  };
}

export type OpenedGoogle = Awaited<ReturnType<typeof openGoogle>>;
