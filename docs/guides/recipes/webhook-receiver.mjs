import express from 'express';
import { Webhook } from 'svix';

/**
 * An Express app that hears of changes of calendars, and keeps a copy of their events up to date.
 *
 * @param {object} parts
 * @param {{ url: string, key: string }} parts.api of the calendar service: `https://calendar.example.com/api`, an API key
 * @param parts.subscriptions your table of subscriptions: `find(id)` and `saveSyncToken(id, syncToken)`. A row has
 *   `endpointSecret`, `endUserAccountId`, `calendarId`, `window` (`startDateTime`, `endDateTime`) and `syncToken`
 * @param parts.seen your table of deliveries that were worked off: `has(webhookId)` and `add(webhookId)`
 * @param {(events: object[], subscription: object) => Promise<void>} parts.store what to do with events that changed
 */
export function webhookReceiver({ api, subscriptions, seen, store }) {
  const app = express();

  // The signature is over the bytes: they must not go through a JSON parser first.
  app.post('/webhooks/calendar', express.raw({ type: 'application/json' }), async (request, response) => {
    const id = request.get('x-webhook-subscription-id') ?? '';
    const subscription = await subscriptions.find(id);
    if (subscription === undefined) return response.status(404).end();

    // Its own secret proves whose message it is: account and calendar come from your table, not from the request.
    try {
      new Webhook(subscription.endpointSecret).verify(request.body, request.headers);
    } catch {
      return response.status(400).end();
    }

    // What throws is a 500, and the message comes again; one that comes again although it was worked off costs nothing.
    const webhookId = request.get('webhook-id');
    if (!(await seen.has(webhookId))) {
      await subscriptions.saveSyncToken(id, await catchUp(subscription));
      await seen.add(webhookId);
    }
    response.status(204).end();
  });

  /** Reads what changed since the last time, or everything. @returns where to go on the next time */
  async function catchUp(subscription) {
    const { endUserAccountId, calendarId, window, syncToken } = subscription;
    const events = `${api.url}/v1/events/${encodeURIComponent(endUserAccountId)}/${encodeURIComponent(calendarId)}`;
    let since = syncToken;
    let pageToken;
    for (;;) {
      const query = new URLSearchParams(since ? { syncToken: since } : window);
      if (pageToken) query.set('pageToken', pageToken);
      const answer = await fetch(`${events}?${query}`, { headers: { 'x-api-key': api.key } });
      if (answer.status === 410 && since) {
        since = pageToken = undefined; // the token is too old
        continue;
      }
      if (!answer.ok) throw new Error(`reading events failed with ${answer.status}`);
      const page = await answer.json();
      await store(page.data, subscription); // deleted ones come with isCancelled: true
      if (!page.nextPageToken) return page.nextSyncToken;
      pageToken = page.nextPageToken;
    }
  }

  return app;
}
