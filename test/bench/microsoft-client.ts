/** The official client of Microsoft Graph with nothing around it, as a process of its own. */
import { Client } from '@microsoft/microsoft-graph-client';
import type { Event } from '@microsoft/microsoft-graph-types';
import { ASKED } from './microsoft-reads.js';
import { serveRuns } from './official-client.js';

serveRuns((url, { accessToken, calendarId, eventId }) => {
  const client = Client.init({ baseUrl: url, authProvider: (done) => done(null, accessToken) });
  const events = `/me/calendars/${encodeURIComponent(calendarId)}/events`;
  const read = (path: string) =>
    client
      .api(path)
      // The client gives its token to hosts of Microsoft's only.
      .headers({ ...ASKED.headers, authorization: `Bearer ${accessToken}` })
      .query({ ...ASKED.query });
  return {
    async get() {
      const event: Event = await read(`${events}/${encodeURIComponent(eventId)}`).get();
      return event.id === eventId;
    },
    async list(pageSize) {
      const page: { value?: Event[] } = await read(events).top(pageSize).get();
      return page.value?.length === pageSize;
    },
  };
});
