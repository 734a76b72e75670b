// 70 s: thousands of generated requests, for every route.
import { jest } from '@jest/globals';
import { startGoogleService, type GoogleService } from '../../support/google-service.js';
import { temporaryDirectory } from '../../support/processes.js';
import { fuzz, type FuzzOptions } from '../../support/schemathesis.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

/** Some thousand requests, on a machine that others use, too. */
jest.setTimeout(300_000);

let google: GoogleService;
let receiver: WebhookReceiver;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let parameters: Record<string, string>;

beforeAll(async () => {
  directory = await temporaryDirectory('fuzzed-document');
  receiver = await WebhookReceiver.start();
  google = await startGoogleService({ RATE_LIMIT_RPS: '10000', EGRESS_ALLOW: receiver.egressAllow });
  const { service } = google;
  const { accountId, calendarId } = await google.connected('ada@example.com');
  const calendar = encodeURIComponent(calendarId);
  const series = await service.call('POST', `/v1/events/${accountId}/${calendar}`, {
    body: {
      title: 'Weekly',
      start: { dateTime: '2026-12-01T10:00:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2026-12-01T11:00:00', timeZone: 'Europe/Berlin' },
      recurrence: ['RRULE:FREQ=WEEKLY'],
    },
  });
  const endpoint = await service.call('POST', '/v1/webhookEndpoints', {
    body: { url: receiver.endpoint('/webhooks'), eventTypes: ['enduseraccount.created'] },
  });
  expect([series.status, endpoint.status]).toEqual([200, 200]);
  parameters = {
    applicationId: service.applicationId,
    endUserAccountId: accountId,
    calendarId,
    eventId: series.body.id as string,
    endpointId: endpoint.body.id as string,
  };
});
afterAll(async () => {
  await google?.stop();
  await receiver?.close();
  await directory?.remove();
});

/** Sign-in tells what is wrong by a redirect, and connecting asks servers that are not there. */
const CONNECTING = '/oauth/|/basicAuth/|/endUserAccounts$';

const ANSWERS = [
  ...['status_code_conformance', 'content_type_conformance', 'response_headers_conformance'],
  ...['response_schema_conformance', 'unsupported_method'],
];

async function expectHeld(paths: FuzzOptions['paths'], operations: number, checks: string[]): Promise<void> {
  const { baseUrl, apiKey } = google.service;
  const { report, ...ended } = await fuzz(directory.path, { baseUrl, apiKey, parameters, checks, paths });
  // The report is what whoever sees this fail has to read.
  if (ended.exitCode !== 0) throw new Error(report);
  expect(ended).toEqual({ exitCode: 0, operations });
}

describe('the service, asked whatever its document allows and more', () => {
  it('answers as promised where accounts are connected', async () => {
    await expectHeld({ with: CONNECTING }, 6, ANSWERS);
  });

  it('answers as promised everywhere else, takes nothing that is not allowed, and never breaks', async () => {
    const more = ['not_a_server_error', 'negative_data_rejection', 'ignored_auth'];
    await expectHeld({ without: CONNECTING }, 26, [...ANSWERS, ...more]);
  });
});
