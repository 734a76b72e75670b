// 130 s: some thousand requests that the document makes up, on four providers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CalDavServer } from '../../support/caldav-server.js';
import { startGoogleService, type GoogleService } from '../../support/google-service.js';
import { microsoftAccounts } from '../../support/microsoft-service.js';
import { temporaryDirectory } from '../../support/processes.js';
import { startRadicale } from '../../support/radicale.js';
import { fuzz, type FuzzOptions } from '../../support/schemathesis.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { nullsIn } from './nulls.js';

/** Some thousand requests, on a machine that others use, too. */

const PROVIDERS = ['GOOGLE', 'MICROSOFT', 'APPLE', 'CALDAV'] as const;
type Provider = (typeof PROVIDERS)[number];

let google: GoogleService;
let radicale: CalDavServer;
let receiver: WebhookReceiver;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let shared: Record<string, string>;
/** Path parameters of each provider: an account, a calendar and a series of it. */
const parameters = {} as Record<Provider, Record<string, string>>;

beforeAll(async () => {
  directory = await temporaryDirectory('fuzzed-document');
  [receiver, radicale] = await Promise.all([
    WebhookReceiver.start(),
    // As Apple makes app-specific passwords.
    startRadicale({ username: 'alice@example.test', password: 'abcd-efgh-ijkl-mnop' }),
  ]);
  google = await startGoogleService({
    RATE_LIMIT_RPS: '10000',
    EGRESS_ALLOW: `${receiver.egressAllow},${radicale.authority}`,
    APPLE_CALDAV_URL: radicale.url,
  });
  const { service, sandbox } = google;
  const endpoint = await service.call('POST', '/v1/webhookEndpoints', {
    body: { url: receiver.endpoint('/webhooks'), eventTypes: ['enduseraccount.created'] },
  });
  expect(endpoint.status).toBe(200);
  shared = { applicationId: service.applicationId, endpointId: endpoint.body.id as string };
  const microsoft = await microsoftAccounts(sandbox, service);
  parameters.GOOGLE = await withSeries(await google.connected('ada@example.com'));
  parameters.MICROSOFT = await withSeries(await microsoft.connected('ada@contoso.example'));
  for (const provider of ['APPLE', 'CALDAV'] as const)
    parameters[provider] = await withSeries(await connected(provider));
});
afterAll(async () => {
  await google?.stop();
  await radicale?.stop();
  await receiver?.close();
  await directory?.remove();
});

async function connected(provider: 'APPLE' | 'CALDAV'): Promise<{ accountId: string; calendarId: string }> {
  const { service } = google;
  const { username: email, password, url: serverUrl } = radicale;
  const account = await service.call(
    'POST',
    `/v1/basicAuth/connect/${service.applicationId}/${provider.toLowerCase()}`,
    { body: { email, password, ...(provider === 'CALDAV' && { serverUrl }) } },
  );
  const calendar = await service.call('POST', `/v1/calendars/${account.body.id}`, {
    body: { name: provider, timeZone: 'Europe/Berlin' },
  });
  expect([account.status, calendar.status]).toEqual([200, 200]);
  return { accountId: account.body.id as string, calendarId: calendar.body.id as string };
}

async function withSeries({ accountId, calendarId }: { accountId: string; calendarId: string }) {
  const series = await google.service.call('POST', `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`, {
    body: {
      title: 'Weekly',
      start: { dateTime: '2026-12-01T10:00:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2026-12-01T11:00:00', timeZone: 'Europe/Berlin' },
      recurrence: ['RRULE:FREQ=WEEKLY'],
    },
  });
  expect(series).toMatchObject({ status: 200 });
  return { ...shared, endUserAccountId: accountId, calendarId, eventId: series.body.id as string };
}

/** Sign-in tells what is wrong by a redirect, and connecting asks servers that are not there. */
const CONNECTING = '/oauth/|/basicAuth/|/endUserAccounts$';
/** What providers have a part in, and answer each in their way. */
const OF_PROVIDERS = '/v1/(calendars|events|freeBusy|calendarSubscriptions)/';

const ANSWERS = [
  ...['status_code_conformance', 'content_type_conformance', 'response_headers_conformance'],
  ...['response_schema_conformance', 'unsupported_method'],
];
const MORE = ['not_a_server_error', 'negative_data_rejection', 'ignored_auth'];

async function expectHeld(
  provider: Provider,
  fuzzed: Pick<FuzzOptions, 'paths' | 'checks' | 'examples'>,
  operations: number,
): Promise<void> {
  const { baseUrl, apiKey } = google.service;
  const options = { baseUrl, apiKey, parameters: parameters[provider], ...fuzzed };
  const { report, ...ended } = await fuzz(directory.path, options);
  // The report is what whoever sees this fail has to read.
  if (ended.exitCode !== 0) throw new Error(report);
  expect(ended).toEqual({ exitCode: 0, operations });
}

describe('the service, asked whatever its document allows and more', () => {
  it('answers as promised where accounts are connected', async () => {
    await expectHeld('GOOGLE', { paths: { with: CONNECTING }, checks: ANSWERS, examples: 8 }, 8);
  });

  it('answers as promised everywhere else, takes nothing that is not allowed, and never breaks', async () => {
    await expectHeld('GOOGLE', { paths: { without: CONNECTING }, checks: [...ANSWERS, ...MORE], examples: 8 }, 28);
  });

  it.each(['MICROSOFT', 'APPLE', 'CALDAV'] as const)('does so on %s', async (provider) => {
    await expectHeld(provider, { paths: { with: OF_PROVIDERS }, checks: [...ANSWERS, ...MORE], examples: 2 }, 13);
  });
});

const START = { dateTime: '2026-12-01T10:00:00', timeZone: 'Europe/Berlin', date: null };
/** Every field of an event that may be null or left out is in it. */
const EVENT = {
  title: 'Whole',
  description: 'Text',
  start: START,
  end: { ...START, dateTime: '2026-12-01T11:00:00' },
  isAllDay: false,
  publicExtendedProperties: { key: 'value' },
  privateExtendedProperties: { key: 'value' },
  recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
  colorId: '7',
  customColor: '#1a73e8',
  myResponseStatus: 'accepted',
  attendees: [{ id: 'olga@example.test', name: 'Olga', email: 'olga@example.test', responseStatus: 'needsAction' }],
  visibility: 'default',
  location: 'Room 1',
  conferenceData: null,
  transparency: 'opaque',
  eventType: 'default',
  reminders: { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup', minutes: 15 }] },
  generateMeetingUrlProvider: null,
  recurringEventId: 'x',
  originalStart: START,
  isCancelled: false,
};
/** A time is either a date or this, so that one of them may be null. */
const CLOCK_TIME = /\.dateTime$/;

/** A change that names the zone of a time alone keeps its clock time; of an `originalStart` there is nothing to keep. */
function responsesTo(method: string, field: string, isAllowed: boolean): number[] {
  if (isAllowed && CLOCK_TIME.test(field)) return method === 'PUT' ? [200, 400] : [400];
  return [isAllowed ? 200 : 400];
}

const BODIES = [
  ['POST', '/v1/events/{endUserAccountId}/{calendarId}', EVENT],
  ['PUT', '/v1/events/{endUserAccountId}/{calendarId}/{eventId}', EVENT],
  ['POST', '/v1/calendars/{endUserAccountId}', { name: 'Nulls', hexColor: '#1a73e8', timeZone: 'UTC' }],
  ['PUT', '/v1/calendars/{endUserAccountId}/{calendarId}', { name: 'Nulls', hexColor: '#1a73e8', timeZone: 'UTC' }],
  [
    'POST',
    '/v1/freeBusy/{endUserAccountId}',
    {
      startDateTime: '2026-12-01T00:00:00Z',
      endDateTime: '2026-12-02T00:00:00Z',
      timeZone: 'UTC',
      calendarIds: ['{calendarId}'],
    },
  ],
] as const;

describe.each(PROVIDERS)('null in every optional field, on %s', (provider) => {
  it.each(BODIES)('of %s %s is taken where the document allows it, else refused', async (method, template, body) => {
    const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'));
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(parameters[provider][name]!),
    );
    const sample = JSON.parse(JSON.stringify(body).replace('{calendarId}', parameters[provider]['calendarId']!));
    const cases = nullsIn(document, method, `/api${template}`, sample);
    expect(cases.length).toBeGreaterThan(0);
    for (const { field, isAllowed, body: sent } of cases) {
      const answer = await google.service.call(method, path, { body: sent });
      const isExpected = responsesTo(method, field, isAllowed).includes(answer.status);
      expect({ field, isAllowed, isExpected, answer }).toMatchObject({ isExpected: true });
    }
  });
});
