import type { SandboxClock } from '../clock.js';
import { CALENDAR_SCOPES } from './api/discovery.js';
import type { SeededClient } from '../demo-clients.js';
import type { GoogleSandbox } from './google-sandbox.js';

const ADA = { email: 'ada@example.com', name: 'Ada Byron', timeZone: 'Europe/London' };
const GRACE = { email: 'grace@example.com', name: 'Grace Murray', timeZone: 'America/New_York' };

/** Creates a client, two users and some current events for a first try. */
export function seedDemo(google: GoogleSandbox, clock: SandboxClock, client: SeededClient): void {
  google.oauth.clients.put({
    ...client,
    publishing: 'production',
    rotateRefreshTokens: false,
  });
  const ada = google.addUser(ADA);
  google.addUser(GRACE);
  const today = Temporal.Instant.fromEpochMilliseconds(clock.nowMs()).toZonedDateTimeISO(ADA.timeZone).toPlainDate();
  for (const body of events(today)) {
    google.calendar.handle({
      methodId: 'calendar.events.insert',
      user: ada,
      scopes: [...CALENDAR_SCOPES.keys()],
      path: { calendarId: 'primary' },
      query: { sendUpdates: 'none' },
      body,
      headers: {},
    });
  }
}

function events(today: Temporal.PlainDate): Record<string, unknown>[] {
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const at = (date: Temporal.PlainDate, time: string): Record<string, string> => ({
    dateTime: `${date.toString()}T${time}:00`,
    timeZone: ADA.timeZone,
  });
  const tomorrow = today.add({ days: 1 });
  const nextFriday = monday.add({ days: 11 });
  return [
    {
      summary: 'Team meeting',
      description: 'What was done, what comes next.',
      start: at(monday, '10:00'),
      end: at(monday, '10:30'),
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO'],
    },
    {
      summary: 'Day off',
      start: { date: nextFriday.toString() },
      end: { date: nextFriday.add({ days: 1 }).toString() },
      transparency: 'transparent',
    },
    {
      summary: 'Review of the engine',
      location: 'Room 4',
      start: at(tomorrow, '15:00'),
      end: at(tomorrow, '16:00'),
      attendees: [{ email: ADA.email, responseStatus: 'accepted' }, { email: GRACE.email }],
    },
    {
      summary: 'Lunch',
      location: 'The usual place',
      start: at(today, '12:30'),
      end: at(today, '13:15'),
    },
  ];
}
