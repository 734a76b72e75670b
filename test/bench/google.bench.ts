/** Reads of GOOGLE accounts. */
import { startGoogleService } from '../support/google-service.js';
import { measureReads } from './provider-reads.js';

const rows = await measureReads({
  type: 'GOOGLE',
  client: 'google-client.ts',
  mailboxes: 1,
  settings: { apiUrl: 'GOOGLE_API_URL', requestsPerMinute: 'GOOGLE_REQUESTS_PER_MINUTE' },
  start: startGoogleService,
  apiUrl: ({ googleUrl }) => googleUrl,
  async addEvent(sandbox, email, { title, description, location, at, guests }) {
    const time = { dateTime: at, timeZone: 'Europe/Berlin' };
    const { body } = await sandbox.act<{ id: string }>({
      email,
      methodId: 'calendar.events.insert',
      path: { calendarId: email },
      body: {
        summary: title,
        description,
        location,
        start: time,
        end: time,
        attendees: guests.map((guest) => ({ email: guest })),
        extendedProperties: { private: { customer: '4711' }, shared: { room: 'east' } },
      },
    });
    return body.id;
  },
  eventRequest: ({ calendarId, eventId }) => ({
    path: `/calendar/v3/calendars/${encodeURIComponent(calendarId)}/events/${eventId}`,
    headers: {},
  }),
});
console.log(JSON.stringify(rows));
process.exit();
