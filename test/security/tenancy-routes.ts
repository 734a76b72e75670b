import type { CallOptions, Service } from '../support/service.js';

/** Ids that a path of the interface can hold, by the name of its parameter. */
export interface PathIds {
  applicationId: string;
  endUserAccountId: string;
  calendarId: string;
  eventId: string;
  /** Of the application's own. */
  endpointId: string;
  /** One to that endpoint. */
  messageId: string;
  /** A subscription of the calendar; no part of a path. */
  subscriptionId: string;
}

type RequestParts = Pick<CallOptions, 'body' | 'query'>;

const WINDOW = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z' };
const CREDENTIALS = { email: 'nobody@example.test', password: 'nothing' };
const RECEIVER = 'https://8.8.8.8/planted';
const EVENT = { title: 'Planted', start: { dateTime: '2033-01-12T09:00:00Z' } };

/**
 * Operations that users' browsers visit, without a key: the redirects to a provider and back. What they may and may not
 * do is the subject of oauth-redirects.test.ts.
 */
export const BROWSER_OPERATIONS = [
  'GET /v1/oauth/authorize/{applicationId}/{provider}',
  'GET /v1/oauth/callback/{provider}',
];

/** The page that connect links lead to: browser/connect-page.test.ts. No part of the document, which is for applications. */
export const PAGE_ROUTES = ['GET /v1/connect', 'POST /v1/connect'];

/**
 * Where providers push to, without a key: what makes a push genuine is the subject of provider-pushes.test.ts. No part of
 * the document, which is for applications.
 */
export const PROVIDER_ROUTES = [
  'POST /v1/providers/google/notifications',
  'POST /v1/providers/microsoft/notifications',
  'POST /v1/providers/microsoft/lifecycle',
];

/**
 * What makes a request of each other operation valid besides its path. Every operation of the document has to be here:
 * one that is not has not been asked whose data it touches.
 */
export const REQUESTS: Record<string, (ids: PathIds) => RequestParts> = {
  'GET /v1/calendarSubscriptions/{endUserAccountId}': () => ({}),
  'POST /v1/calendarSubscriptions/{endUserAccountId}': ({ calendarId }) => ({
    body: { calendarId, webhookUrl: RECEIVER },
  }),
  'DELETE /v1/calendarSubscriptions/{endUserAccountId}': ({ subscriptionId }) => ({ body: { subscriptionId } }),
  'GET /v1/webhookEndpoints': () => ({}),
  'POST /v1/webhookEndpoints': () => ({ body: { url: RECEIVER, eventTypes: ['enduseraccount.created'] } }),
  'GET /v1/webhookEndpoints/{endpointId}': () => ({}),
  'PATCH /v1/webhookEndpoints/{endpointId}': () => ({ body: { rateLimit: 1 } }),
  'DELETE /v1/webhookEndpoints/{endpointId}': () => ({}),
  'POST /v1/webhookEndpoints/{endpointId}/enable': () => ({}),
  'POST /v1/webhookEndpoints/{endpointId}/rotateSecret': () => ({ body: {} }),
  'POST /v1/webhookEndpoints/{endpointId}/test': () => ({}),
  'GET /v1/webhookEndpoints/{endpointId}/messages': () => ({}),
  'GET /v1/webhookEndpoints/{endpointId}/messages/{messageId}/attempts': () => ({}),
  'POST /v1/webhookEndpoints/{endpointId}/messages/{messageId}/resend': () => ({}),
  'POST /v1/webhookEndpoints/{endpointId}/recover': () => ({ body: { since: '2026-01-01T00:00:00Z' } }),
  'POST /v1/basicAuth/connect/{applicationId}/apple': () => ({ body: CREDENTIALS }),
  'POST /v1/basicAuth/connect/{applicationId}/caldav': () => ({
    body: { ...CREDENTIALS, serverUrl: 'dav.example.test' },
  }),
  'POST /v1/basicAuth/connect/{applicationId}/ics': () => ({ body: { url: 'https://feed.example.test/a.ics' } }),
  // Its refusal names no redirect URL; what an address may and may not do is the subject of oauth-redirects.test.ts.
  'POST /v1/oauth/authorizationUrls': () => ({ body: { provider: 'google' } }),
  'POST /v1/connectLinks': () => ({ body: { provider: 'caldav' } }),
  'GET /v1/endUserAccounts': () => ({}),
  'POST /v1/endUserAccounts': () => ({
    body: { ...CREDENTIALS, providerType: 'CALDAV', serverUrl: 'https://dav.invalid/' },
  }),
  'GET /v1/endUserAccounts/{endUserAccountId}': () => ({}),
  'DELETE /v1/endUserAccounts/{endUserAccountId}': () => ({}),
  'GET /v1/endUserAccounts/{endUserAccountId}/credentials': () => ({}),
  'GET /v1/calendars/{endUserAccountId}': () => ({}),
  'POST /v1/calendars/{endUserAccountId}': () => ({ body: { name: 'Planted' } }),
  'GET /v1/calendars/{endUserAccountId}/{calendarId}': () => ({}),
  'PUT /v1/calendars/{endUserAccountId}/{calendarId}': () => ({ body: { name: 'Planted' } }),
  'DELETE /v1/calendars/{endUserAccountId}/{calendarId}': () => ({}),
  'GET /v1/events/{endUserAccountId}/{calendarId}': () => ({}),
  'POST /v1/events/{endUserAccountId}/{calendarId}': () => ({ body: EVENT }),
  'GET /v1/events/{endUserAccountId}/{calendarId}/{eventId}': () => ({}),
  'PUT /v1/events/{endUserAccountId}/{calendarId}/{eventId}': () => ({ body: { title: 'Planted' } }),
  'DELETE /v1/events/{endUserAccountId}/{calendarId}/{eventId}': () => ({}),
  'GET /v1/events/{endUserAccountId}/{calendarId}/{eventId}/occurrences': () => ({ query: WINDOW }),
  'POST /v1/events/{endUserAccountId}/{calendarId}/{eventId}/rsvp': () => ({ body: { responseStatus: 'accepted' } }),
  'GET /v1/usage': () => ({}),
  'POST /v1/freeBusy/{endUserAccountId}': ({ calendarId }) => ({
    body: { ...WINDOW, timeZone: 'UTC', calendarIds: [calendarId] },
  }),
};

/** Operations on a calendar that the path, or the body, names. */
export const CALENDAR_OPERATIONS = Object.keys(REQUESTS).filter(
  (name) =>
    name.includes('{calendarId}') || name.includes('/freeBusy/') || name.startsWith('POST /v1/calendarSubscriptions/'),
);

/** What an application has of webhooks. */
export type WebhookIds = Pick<PathIds, 'endpointId' | 'messageId' | 'subscriptionId'>;

/** Subscribes to a calendar, and makes an endpoint that a test message is on its way to. */
export async function plantWebhooks(
  call: Service['call'],
  key: string,
  { endUserAccountId, calendarId }: Pick<PathIds, 'endUserAccountId' | 'calendarId'>,
): Promise<WebhookIds> {
  const made = async (path: string, body?: unknown) => {
    const response = await call('POST', path, { key, body });
    if (response.status !== 200) throw new Error(`POST ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };
  const subscription = { calendarId, webhookUrl: RECEIVER };
  const { webhookSubscriptionId } = await made(`/v1/calendarSubscriptions/${endUserAccountId}`, subscription);
  const endpoint = { url: RECEIVER, eventTypes: ['enduseraccount.updated'], rateLimit: 7 };
  const { id: endpointId } = await made('/v1/webhookEndpoints', endpoint);
  const { messageId } = await made(`/v1/webhookEndpoints/${endpointId}/test`);
  return { endpointId, messageId, subscriptionId: webhookSubscriptionId };
}

export interface Operation {
  /** As the keys of {@link REQUESTS}. */
  name: string;
  /** Requirements of its own; undefined: those of the whole document. */
  security: unknown;
}

/** Every operation that the running service documents. */
export async function readOperations(service: Pick<Service, 'call'>): Promise<Operation[]> {
  const { status, body } = await service.call('GET', '/openapi.json', { key: null });
  if (status !== 200) throw new Error(`no document: ${status}`);
  return Object.entries<Record<string, { security?: unknown }>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      name: `${method.toUpperCase()} ${path.replace(/^\/api/, '')}`,
      security,
    })),
  );
}

/** A valid request of an operation for these ids: arguments of `Service.call`. */
export function requestOf(name: string, ids: PathIds): [method: string, path: string, parts: RequestParts] {
  const parts = REQUESTS[name];
  if (parts === undefined) throw new Error(`${name} has no entry`);
  const [method = '', template = ''] = name.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, parameter: keyof PathIds) => encodeURIComponent(ids[parameter]));
  return [method, path, parts(ids)];
}
