import { readMicrosoftNotifications } from '#providers/microsoft';
import { sandboxedMicrosoft } from '../providers/microsoft/adapter/sandboxed-adapter.js';
import { startMicrosoftService, TEST_MICROSOFT_CLIENT } from '../support/microsoft-service.js';
import type { OAuthAccounts } from '../support/oauth-accounts.js';
import type { Sandbox } from '../support/sandbox.js';
import type { Service } from '../support/service.js';
import { pushSubject } from './notification-subject.js';
import type { ConformanceSubject, Elsewhere } from './subject.js';

const USER = 'alice@example.test';

/** The sandbox in Microsoft's place. Whatever a correct client never sends fails the suite at its end. */
export async function startMicrosoftSubject(): Promise<{
  service: Service;
  subject: ConformanceSubject;
  stop(): Promise<void>;
}> {
  const microsoft = await startMicrosoftService();
  return {
    service: microsoft.service,
    subject: microsoftSubject(microsoft),
    async stop() {
      try {
        await microsoft.sandbox.expectNoViolations();
      } finally {
        await microsoft.stop();
      }
    },
  };
}

export function microsoftSubject({ sandbox, connect }: OAuthAccounts): ConformanceSubject {
  return {
    name: 'MICROSOFT in the sandbox',
    providerType: 'MICROSOFT',
    connect: () => connect(USER),
    connectWrongly: (to) =>
      to.call('POST', '/v1/endUserAccounts', {
        body: { email: USER, providerType: 'MICROSOFT', refreshToken: 'no-such-token' },
      }),
    elsewhere: outlookItself(sandbox),
    push: pushSubject(sandboxedMicrosoft(TEST_MICROSOFT_CLIENT.clientId), sandbox, USER, ({ body }) =>
      readMicrosoftNotifications(JSON.parse(body)),
    ),
    differs: {
      givesIsPrimaryFalse: false,
      holdsZeroLength: true,
      syncsEveryRead: false,
      versionsPrivateProperties: true,
      skipsShortMonths: false,
      idsWithoutUnderscore: false,
      keepsDeclined: false,
      holdsManyRules: false,
      holdsConferences: false,
    },
  };
}

/** The user with Outlook open. */
function outlookItself({ microsoft }: Sandbox): Elsewhere {
  const act = async (methodId: string, path: Record<string, string>, body?: unknown): Promise<void> => {
    // Ids of the service are immutable ones.
    const headers = { prefer: 'IdType="ImmutableId"' };
    const response = await microsoft.act({ email: USER, methodId, path, body, headers });
    if (response.status >= 300) throw new Error(`${methodId}: ${response.status} ${JSON.stringify(response.body)}`);
  };
  return {
    invite: (calendarId, { title: subject, ...times }) =>
      microsoft.invite({
        email: USER,
        calendarId,
        subject,
        ...times,
        organizer: { name: 'Olga', address: 'olga@example.test' },
      }),
    async strange(calendarId, subject) {
      const { body, status } = await microsoft.act<{ iCalUId: string }>({
        email: USER,
        methodId: 'create_me_calendars_By_calendar_id_events',
        path: { 'calendar-id': calendarId },
        body: {
          subject,
          start: { dateTime: '2027-03-22T09:00:00', timeZone: 'UTC' },
          end: { dateTime: '2027-03-22T10:00:00', timeZone: 'UTC' },
          isReminderOn: true,
          reminderMinutesBeforeStart: 600_000,
          attendees: [
            { emailAddress: { address: `${'l'.repeat(70)}@example.test`, name: 'N'.repeat(300) }, type: 'required' },
            { emailAddress: { address: `short@${'long-domain.'.repeat(25)}example` }, type: 'optional' },
          ],
        },
        headers: { prefer: 'IdType="ImmutableId"' },
      });
      if (status >= 300) throw new Error(`create: ${status} ${JSON.stringify(body)}`);
      return body.iCalUId;
    },
    async retitle(calendarId, eventId, subject) {
      await act(
        'update_me_calendars_By_calendar_id_events_By_event_id',
        { 'calendar-id': calendarId, 'event-id': eventId },
        { subject },
      );
    },
    async remove(calendarId, eventId) {
      await act('delete_me_calendars_By_calendar_id_events_By_event_id', {
        'calendar-id': calendarId,
        'event-id': eventId,
      });
    },
  };
}
