import { randomUUID } from 'node:crypto';
import { readGooglePush } from '#providers/google';
import { sandboxedGoogle } from '../providers/google/adapter/sandboxed-adapter.js';
import { startGoogleService, TEST_CLIENT } from '../support/google-service.js';
import type { OAuthAccounts } from '../support/oauth-accounts.js';
import type { Sandbox } from '../support/sandbox.js';
import type { Service } from '../support/service.js';
import { pushSubject } from './notification-subject.js';
import type { ConformanceSubject, Elsewhere } from './subject.js';

const USER = 'alice@example.test';

/** The sandbox in Google's place. Whatever a correct client never sends fails the suite at its end. */
export async function startGoogleSubject(): Promise<{
  service: Service;
  subject: ConformanceSubject;
  stop(): Promise<void>;
}> {
  const google = await startGoogleService();
  return {
    service: google.service,
    subject: googleSubject(google),
    async stop() {
      try {
        await google.sandbox.expectNoViolations();
      } finally {
        await google.stop();
      }
    },
  };
}

export function googleSubject({ sandbox, connect }: OAuthAccounts): ConformanceSubject {
  return {
    name: 'GOOGLE in the sandbox',
    providerType: 'GOOGLE',
    connect: () => connect(USER),
    connectWrongly: (to) =>
      to.call('POST', '/v1/endUserAccounts', {
        body: { email: USER, providerType: 'GOOGLE', refreshToken: '1//no-such-token' },
      }),
    elsewhere: googleItself(sandbox),
    push: pushSubject(sandboxedGoogle(TEST_CLIENT.clientId), sandbox, USER, ({ headers }) =>
      [readGooglePush(headers) ?? []].flat(),
    ),
    differs: {
      givesIsPrimaryFalse: false,
      holdsZeroLength: true,
      syncsEveryRead: true,
      versionsPrivateProperties: true,
      skipsShortMonths: true,
      idsWithoutUnderscore: true,
      keepsDeclined: true,
      holdsManyRules: true,
      holdsConferences: true,
    },
  };
}

/** The user with Google's own pages open. */
function googleItself(sandbox: Sandbox): Elsewhere {
  const act = async (methodId: string, path: Record<string, string>, body?: unknown): Promise<any> => {
    const response = await sandbox.act({ email: USER, methodId, path, body });
    if (response.status >= 300) throw new Error(`${methodId}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body;
  };
  return {
    async invite(calendarId, { title, startUtc, endUtc }) {
      const { iCalUID } = await act(
        'calendar.events.import',
        { calendarId },
        {
          iCalUID: randomUUID(),
          summary: title,
          start: { dateTime: startUtc, timeZone: 'UTC' },
          end: { dateTime: endUtc, timeZone: 'UTC' },
          organizer: { email: 'olga@example.test', displayName: 'Olga' },
          attendees: [
            { email: 'olga@example.test', displayName: 'Olga', responseStatus: 'accepted' },
            { email: calendarId, responseStatus: 'needsAction' },
          ],
        },
      );
      return iCalUID;
    },
    async strange(calendarId, title) {
      const { iCalUID } = await act(
        'calendar.events.import',
        { calendarId },
        {
          iCalUID: randomUUID(),
          summary: title,
          start: { dateTime: '2027-03-22T09:00:00Z', timeZone: 'UTC' },
          end: { dateTime: '2027-03-22T10:00:00Z', timeZone: 'UTC' },
          organizer: { email: calendarId },
          attendees: [
            { email: `${'l'.repeat(70)}@example.test`, displayName: 'N'.repeat(300) },
            { email: `short@${'long-domain.'.repeat(25)}example`, responseStatus: 'declined' },
          ],
          extendedProperties: {
            shared: Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`key${index}`, 'value'])),
          },
        },
      );
      return iCalUID;
    },
    async retitle(calendarId, eventId, title) {
      await act('calendar.events.patch', { calendarId, eventId }, { summary: title });
    },
    async remove(calendarId, eventId) {
      await act('calendar.events.delete', { calendarId, eventId });
    },
  };
}
