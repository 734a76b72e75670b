/** The official client of Google Calendar with nothing around it, as a process of its own. */
import { auth, calendar } from '@googleapis/calendar';
import { serveRuns } from './official-client.js';

serveRuns((url, { accessToken, calendarId, eventId }) => {
  const credentials = new auth.OAuth2();
  credentials.setCredentials({ access_token: accessToken, expiry_date: Date.now() + 3_600_000 });
  const { events } = calendar({ version: 'v3', auth: credentials, rootUrl: `${url}/` });
  return {
    async get() {
      return (await events.get({ calendarId, eventId })).data.id === eventId;
    },
    async list(pageSize) {
      return (await events.list({ calendarId, maxResults: pageSize })).data.items?.length === pageSize;
    },
  };
});
