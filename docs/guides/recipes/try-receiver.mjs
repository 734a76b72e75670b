// The receiver of webhook-receiver.mjs as a program to try webhooks with: its tables are in memory, and it prints what comes.
//   API=… KEY=… ACCOUNT=… SUBSCRIPTION=… SECRET=… [CALENDAR=primary] [PORT=9000] node docs/guides/recipes/try-receiver.mjs
// A MICROSOFT calendar needs FROM and TO as well.
import express from 'express';
import { webhookReceiver } from './webhook-receiver.mjs';

const { API = '', KEY = '', ACCOUNT = '', CALENDAR = 'primary', SUBSCRIPTION, SECRET, FROM, TO } = process.env;
const PORT = process.env.PORT ?? '9000';

const window = { ...(FROM && { startDateTime: FROM }), ...(TO && { endDateTime: TO }) };
const subscription = {
  endpointSecret: SECRET,
  endUserAccountId: ACCOUNT,
  calendarId: CALENDAR,
  window,
  syncToken: await readOnce(),
};
const seen = new Set();

const receiver = webhookReceiver({
  api: { url: API.replace(/\/v1$/, ''), key: KEY },
  subscriptions: {
    find: async (id) => (id === SUBSCRIPTION ? subscription : undefined),
    saveSyncToken: async (_id, syncToken) => void (subscription.syncToken = syncToken),
  },
  seen: { has: async (webhookId) => seen.has(webhookId), add: async (webhookId) => seen.add(webhookId) },
  store: async (events) => {
    for (const { id, title, isCancelled } of events)
      console.log(isCancelled ? `  deleted ${id}` : `  changed ${title}`);
  },
});

express()
  .use(express.raw({ type: 'application/json' }), (request, _response, next) => {
    console.log(`${request.get('webhook-id')} ${request.body}`);
    next();
  })
  .use(receiver)
  .listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${PORT}/webhooks/calendar`));

/** All that there is, so that messages lead to what is new. @returns the sync token at its end */
async function readOnce() {
  const events = `${API}/events/${encodeURIComponent(ACCOUNT)}/${encodeURIComponent(CALENDAR)}`;
  let count = 0;
  for (let pageToken; ;) {
    const query = new URLSearchParams({ ...window, ...(pageToken && { pageToken }) });
    const answer = await fetch(`${events}?${query}`, { headers: { 'x-api-key': KEY } });
    const page = await answer.json();
    if (!answer.ok) throw new Error(page.message);
    count += page.data.length;
    pageToken = page.nextPageToken;
    if (!pageToken) {
      console.log(`${count} events to begin with`);
      return page.nextSyncToken;
    }
  }
}
