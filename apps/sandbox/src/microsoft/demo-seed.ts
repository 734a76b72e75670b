import type { SandboxClock } from '../clock.js';
import type { SeededClient } from '../demo-clients.js';
import { ALL_SCOPES } from './identity/scopes.js';
import type { MicrosoftSandbox } from './microsoft-sandbox.js';

const ALAN = { email: 'alan@contoso.example', displayName: 'Alan Mathison', mailboxTimeZone: 'GMT Standard Time' };
const EDSGER = {
  email: 'edsger@outlook.example',
  displayName: 'Edsger Wybe',
  mailboxTimeZone: 'W. Europe Standard Time',
  kind: 'personal' as const,
};

/** Creates a client, two users and some current events for a first try. */
export async function seedDemo(microsoft: MicrosoftSandbox, clock: SandboxClock, client: SeededClient): Promise<void> {
  microsoft.oauth.clients.put({ ...client, audience: 'any' });
  const alan = microsoft.addUser(ALAN);
  microsoft.addUser(EDSGER);
  const today = Temporal.Instant.fromEpochMilliseconds(clock.nowMs()).toZonedDateTimeISO('Europe/London').toPlainDate();
  for (const body of events(today)) {
    await microsoft.graph.handle({
      operationId: 'create_me_events',
      user: alan,
      clientId: null,
      scopes: ALL_SCOPES,
      ...{ path: {}, query: {}, body, headers: {}, prefer: { idtype: 'ImmutableId' } },
    });
  }
}

function events(today: Temporal.PlainDate): Record<string, unknown>[] {
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const at = (date: Temporal.PlainDate, time: string): Record<string, string> => ({
    dateTime: `${date.toString()}T${time}:00`,
    timeZone: 'Europe/London',
  });
  return [
    {
      subject: 'Stand-up',
      start: at(monday, '09:30'),
      end: at(monday, '09:45'),
      recurrence: {
        pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday', 'thursday'], firstDayOfWeek: 'monday' },
        range: { type: 'noEnd', startDate: monday.toString(), recurrenceTimeZone: 'Europe/London' },
      },
    },
    {
      subject: 'Review of the machine',
      location: { displayName: 'Hut 8' },
      start: at(today.add({ days: 1 }), '15:00'),
      end: at(today.add({ days: 1 }), '16:00'),
      attendees: [{ emailAddress: { address: EDSGER.email, name: EDSGER.displayName }, type: 'required' }],
      isOnlineMeeting: true,
      onlineMeetingProvider: 'teamsForBusiness',
    },
  ];
}
