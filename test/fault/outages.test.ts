import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultAction } from '../../apps/sandbox/src/faults/fault.js';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { startGoogleService, type GoogleService } from '../support/google-service.js';
import { eventually } from '../support/processes.js';

const ADA = 'ada@example.test';
const BOB = 'bob@example.test';
const DOWN: FaultAction = { type: 'status', status: 503, body: 'down' };

let google: GoogleService;
let fake: FakeCalDav;
let caldav: ConnectedAccount;
let ada: string;
let bob: string;

beforeAll(async () => {
  fake = await startFakeServer('work');
  google = await startGoogleService({ PROVIDER_TIMEOUT_MS: '2500', EGRESS_ALLOW: fake.egressAllow });
  ({ accountId: ada } = await google.connected(ADA));
  ({ accountId: bob } = await google.connected(BOB));
  caldav = await connectAccount(google.service, fake);
}, 120_000);

beforeEach(() => google.sandbox.clearRequests());

afterEach(async () => {
  await google.sandbox.clearFaults();
  await google.sandbox.expectNoViolations();
  await eventually('Google is asked again', async () => ((await calendarsOf(ada)).status === 200 ? true : undefined));
  for (const accountId of [ada, bob, caldav.accountId]) expect(await statusOf(accountId)).toBe('ACTIVE');
});

afterAll(async () => {
  await google?.stop();
  await fake?.close();
});

const calendarsOf = (accountId: string) => google.service.call('GET', `/v1/calendars/${accountId}`);
const statusOf = async (accountId: string) =>
  (await google.service.call('GET', `/v1/endUserAccounts/${accountId}`)).body.status;
const apiCalls = async () => (await google.sandbox.requests({ kind: 'api' })).length;

/** Connections to Google that are open: proc_pid_net(5), established or left half-closed. */
async function connections(): Promise<number> {
  const port = Number(new URL(google.sandbox.googleUrl).port).toString(16).toUpperCase().padStart(4, '0');
  const lines = (await readFile(`/proc/${google.service.program.pid}/net/tcp`, 'utf8')).split('\n');
  const toGoogle = new RegExp(`^\\s*\\d+: \\w{8}:\\w{4} \\w{8}:${port} 0[18] `);
  return lines.filter((line) => toGoogle.test(line)).length;
}

describe('F26 the way to Google and back', () => {
  it.each<[string, FaultAction, number, string]>([
    ['is silent', { type: 'hang' }, 504, 'ProviderTimeout'],
    ['gives a byte a second', { type: 'drip', bytesPerSecond: 1 }, 504, 'ProviderTimeout'],
    ['is cut before an answer', { type: 'reset' }, 502, 'ProviderUnavailable'],
    ['is cut within an answer', { type: 'reset-mid-body' }, 502, 'ProviderUnavailable'],
  ])('%s: callers are told so, and no socket is left', async (_, action, status, code) => {
    await google.sandbox.fault({ kind: 'api' }, action);
    const calls = [
      ...Array.from({ length: 15 }, () => calendarsOf(ada)),
      ...Array.from({ length: 15 }, () => google.service.call('GET', `/v1/events/${bob}/${BOB}`)),
      google.service.call('POST', `/v1/calendars/${bob}`, { body: { name: 'Never' } }),
    ];
    const answers = await Promise.all(calls);
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.code}`))).toEqual(
      new Set([`${status} ${code}`]),
    );
    await google.sandbox.clearFaults();
    // One or two for each account may be kept for later calls.
    await eventually('connections are closed', async () => ((await connections()) <= 4 ? true : undefined));
  });

  it('is silent after a write: the caller hears about it before its own patience ends', async () => {
    await google.sandbox.fault({ methodId: 'calendar.events.insert' }, { type: 'hang' });
    const answer = await google.service.call('POST', `/v1/events/${ada}/${ADA}`, {
      body: { title: 'Never', start: { date: '2027-02-01' }, end: { date: '2027-02-02' } },
    });
    expect([answer.status, answer.body.code]).toEqual([504, 'ProviderTimeout']);
  });
});

describe('F27 Google answers nobody', () => {
  /** Asks until a caller is turned away without Google being asked. */
  async function untilTurnedAway(): Promise<void> {
    await eventually('callers are turned away', async () => {
      const before = await apiCalls();
      const answer = await calendarsOf(ada);
      expect(answer.status).toBe(502);
      return (await apiCalls()) === before ? true : undefined;
    });
  }

  it('then it is left alone until one call finds it back, and all others are served', async () => {
    await google.sandbox.fault({ kind: 'api' }, DOWN);
    await untilTurnedAway();
    const asked = await apiCalls();
    const refused = await Promise.all([calendarsOf(ada), calendarsOf(bob)]);
    for (const { status, headers, body } of refused) {
      expect([status, body.code]).toEqual([502, 'ProviderUnavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(30);
    }
    expect(await apiCalls()).toBe(asked);
    expect((await caldav.call('GET', 'calendars')).status).toBe(200);
    // Tokens come from another service.
    expect((await google.service.call('GET', `/v1/endUserAccounts/${bob}/credentials`)).status).toBe(200);

    await google.sandbox.clearFaults();
    await google.sandbox.clearRequests();
    await google.sandbox.fault({ kind: 'api' }, { type: 'delay', ms: 2_000 }, { times: 1 });
    const asking = [];
    while ((await apiCalls()) === 0) {
      asking.push(calendarsOf(ada));
      await delay(50);
    }
    const meanwhile = await Promise.all([calendarsOf(ada), calendarsOf(bob)]);
    expect([meanwhile.map(({ status }) => status), await apiCalls()]).toEqual([[502, 502], 1]);
    const statuses = (await Promise.all(asking)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const found = await Promise.all([calendarsOf(ada), calendarsOf(bob)]);
    expect(found.map(({ status }) => status)).toEqual([200, 200]);
  });
});
