/** Reads of MICROSOFT accounts. */
import { writtenProperties } from '../../libs/providers/microsoft/events/own-properties.js';
import { startMicrosoftService } from '../support/microsoft-service.js';
import { ASKED } from './microsoft-reads.js';
import { measureReads } from './provider-reads.js';

const rows = await measureReads({
  type: 'MICROSOFT',
  client: 'microsoft-client.ts',
  // Graph serves four requests of one at a time: https://learn.microsoft.com/graph/throttling-limits#outlook-service-limits
  mailboxes: 7,
  settings: { apiUrl: 'MICROSOFT_GRAPH_URL', requestsPerMinute: 'MICROSOFT_REQUESTS_PER_MINUTE' },
  start: startMicrosoftService,
  apiUrl: ({ microsoftUrl }) => microsoftUrl,
  async addEvent(sandbox, email, { title, description, location, at, guests }) {
    const time = { dateTime: at, timeZone: 'W. Europe Standard Time' };
    const { body } = await sandbox.microsoft.act<{ id: string }>({
      email,
      methodId: 'create_me_events',
      headers: ASKED.headers,
      body: {
        subject: title,
        body: { contentType: 'text', content: description },
        location: { displayName: location },
        start: time,
        end: time,
        attendees: guests.map((address) => ({ emailAddress: { address }, type: 'required' })),
        singleValueExtendedProperties: writtenProperties(
          new Map([
            ['ucPrivate', '{"customer":"4711"}'],
            ['ucPublic', '{"room":"east"}'],
          ]),
        ),
      },
    });
    return body.id;
  },
  eventRequest: ({ calendarId, eventId }) => ({
    path:
      `/v1.0/me/calendars/${encodeURIComponent(calendarId)}/events/${encodeURIComponent(eventId)}` +
      `?$expand=${ASKED.query.$expand}`,
    headers: ASKED.headers,
  }),
});
console.log(JSON.stringify(rows));
process.exit();
