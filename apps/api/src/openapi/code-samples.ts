import { OAUTH_PROVIDERS } from '#providers';
import type { DescribedOperation } from './document-parts.js';

/** How the TypeScript client calls an operation, and what works as its query and body. */
interface Sample {
  client: string;
  query?: Readonly<Record<string, string | boolean>>;
  body?: object;
}

/** Any whose accounts are connected by a sign-in. */
const [SIGN_IN] = OAUTH_PROVIDERS;
const BERLIN = 'Europe/Berlin';
const MARCH = { startDateTime: '2033-03-01T00:00:00Z', endDateTime: '2033-04-01T00:00:00Z' };
const RECEIVER = 'https://app.example.com/webhooks/calendar';

const SAMPLES: Readonly<Record<string, Sample>> = {
  createAuthorizationUrl: {
    client: 'endUserAccounts.authorizationUrl',
    body: { provider: SIGN_IN?.slug, externalId: 'user-1234', redirectUrl: 'https://app.example.com/connected' },
  },
  connectApple: {
    client: 'endUserAccounts.connectApple',
    body: { email: 'ada@icloud.com', password: 'abcd-efgh-ijkl-mnop', externalId: 'user-1234' },
  },
  connectCalDav: {
    client: 'endUserAccounts.connectCalDav',
    body: { email: 'ada@example.com', password: 'a long password', serverUrl: 'https://dav.example.com' },
  },
  connectIcs: { client: 'endUserAccounts.connectIcs', body: { url: 'https://example.com/calendar.ics' } },
  createConnectLink: {
    client: 'endUserAccounts.connectLink',
    body: { externalId: 'user-1234', redirectUrl: 'https://app.example.com/connected' },
  },
  listEndUserAccounts: { client: 'endUserAccounts.list', query: { statusFilter: 'active' } },
  upsertEndUserAccount: {
    client: 'endUserAccounts.upsert',
    body: { email: 'ada@example.com', providerType: SIGN_IN?.type, refreshToken: '1//0abc' },
  },
  getEndUserAccount: { client: 'endUserAccounts.get' },
  deleteEndUserAccount: { client: 'endUserAccounts.delete' },
  getEndUserAccountCredentials: { client: 'endUserAccounts.credentials' },
  listCalendars: { client: 'calendars.list' },
  createCalendar: { client: 'calendars.create', body: { name: 'Team', timeZone: BERLIN } },
  getCalendar: { client: 'calendars.get' },
  updateCalendar: { client: 'calendars.update', body: { name: 'Team, new', hexColor: '#1A73E8' } },
  deleteCalendar: { client: 'calendars.delete' },
  listEvents: { client: 'events.list', query: { ...MARCH, expandRecurrences: true } },
  createEvent: {
    client: 'events.create',
    body: {
      title: 'Planning',
      start: { dateTime: '2033-03-01T09:00:00', timeZone: BERLIN },
      end: { dateTime: '2033-03-01T10:00:00', timeZone: BERLIN },
      attendees: [{ email: 'grace@example.com' }],
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
    },
  },
  getEvent: { client: 'events.get' },
  updateEvent: { client: 'events.update', body: { title: 'Planning, in room 2', location: 'Room 2' } },
  deleteEvent: { client: 'events.delete', query: { scope: 'following' } },
  listEventOccurrences: { client: 'events.occurrences', query: MARCH },
  rsvpEvent: { client: 'events.rsvp', body: { responseStatus: 'accepted' } },
  queryFreeBusy: { client: 'freeBusy.query', body: { ...MARCH, timeZone: BERLIN, calendarIds: ['primary'] } },
  listCalendarSubscriptions: { client: 'calendarSubscriptions.list' },
  createCalendarSubscription: {
    client: 'calendarSubscriptions.create',
    body: { calendarId: 'primary', webhookUrl: RECEIVER },
  },
  deleteCalendarSubscription: {
    client: 'calendarSubscriptions.delete',
    query: { subscriptionId: '019a9b2e-8b20-7e15-9d26-6e3a7b8c9d01' },
  },
  getUsage: { client: 'usage.get' },
  listWebhookEndpoints: { client: 'webhookEndpoints.list' },
  createWebhookEndpoint: {
    client: 'webhookEndpoints.create',
    body: { url: RECEIVER, eventTypes: ['enduseraccount.updated', 'enduseraccount.deleted'] },
  },
  getWebhookEndpoint: { client: 'webhookEndpoints.get' },
  updateWebhookEndpoint: { client: 'webhookEndpoints.update', body: { rateLimit: 10 } },
  deleteWebhookEndpoint: { client: 'webhookEndpoints.delete' },
  enableWebhookEndpoint: { client: 'webhookEndpoints.enable' },
  rotateEndpointSecret: { client: 'webhookEndpoints.rotateSecret', body: { overlapSeconds: 3600 } },
  sendTestMessage: { client: 'webhookEndpoints.test' },
  listWebhookMessages: { client: 'webhookEndpoints.messages' },
  listDeliveryAttempts: { client: 'webhookEndpoints.attempts' },
  resendWebhookMessage: { client: 'webhookEndpoints.resend' },
  recoverMessages: { client: 'webhookEndpoints.recover', body: { since: '2033-03-01T00:00:00Z' } },
};

/** Adds an example of the body and `x-codeSamples`, which documentation tools show. Browsers' operations have none. */
export function addSamples({ operation, method, path }: DescribedOperation): void {
  const sample = SAMPLES[operation.operationId ?? ''];
  if (sample === undefined) return;
  const { requestBody } = operation;
  const json =
    requestBody !== undefined && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
  if (json !== undefined && sample.body !== undefined) json.example = sample.body;
  Object.assign(operation, {
    'x-codeSamples': [
      { lang: 'Shell', label: 'curl', source: curlOf(method, path, sample) },
      { lang: 'TypeScript', label: '@unified-calendar/client', source: clientOf(path, sample) },
      { lang: 'Python', label: 'requests', source: pythonOf(method, path, sample) },
    ],
  });
}

const PARAMETER = /\{(\w+)\}/g;
const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const queryText = (query: Sample['query'] = {}) =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();

function curlOf(method: string, path: string, { query, body }: Sample): string {
  const address = path.replaceAll(PARAMETER, (_, name: string) => `$${snakeCase(name).toUpperCase()}`);
  const search = queryText(query);
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$BASE_URL${address}${search && `?${search}`}"`,
    '-H "x-api-key: $API_KEY"',
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d '${JSON.stringify(body)}'`]),
  ].join(' \\\n  ');
}

function clientOf(path: string, { client, query = {}, body }: Sample): string {
  const ids = [...path.matchAll(PARAMETER)].map(([, name]) => name);
  const fields = Object.entries(query).map(([name, value]) => `${name}: ${literal(value)}`);
  const given = [...ids, ...fields];
  const parameters = [
    ...(given.length === 0 ? [] : [`{ ${given.join(', ')} }`]),
    ...(body === undefined ? [] : [literal(body)]),
  ];
  return `const answer = await client.${client}(${parameters.join(', ')});`;
}

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{ ${Object.entries(value)
    .map(([name, one]) => `${name}: ${literal(one)}`)
    .join(', ')} }`;
}

function pythonOf(method: string, path: string, { query, body }: Sample): string {
  const address = path.replaceAll(PARAMETER, (_, name: string) => `{${snakeCase(name)}}`);
  const search = queryText(query);
  return [
    `response = requests.${method}(`,
    `    f"{base_url}${address}${search && `?${search}`}",`,
    '    headers={"x-api-key": api_key},',
    ...(body === undefined ? [] : [`    json=${JSON.stringify(body)},`]),
    '    timeout=30,',
    ')',
    'response.raise_for_status()',
    'answer = response.json()',
  ].join('\n');
}
