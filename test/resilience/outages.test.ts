// 50 s: providers are unreachable and silent until the service gives up, and come back.
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultAction } from '../../apps/sandbox/src/faults/fault.js';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import {
  startOAuthFixture,
  type OAuthProviderType,
  type OAuthSubject,
  type OAuthFixture,
} from '../support/oauth-subject.js';
import { eventually } from '../support/processes.js';
import { Invariants } from './invariants.js';

const DOWN: FaultAction = { type: 'status', status: 503, body: 'down' };
/** Two accounts of each provider. */
interface Two {
  ada: { accountId: string; calendarId: string };
  bob: { accountId: string; calendarId: string };
}

let fixture: OAuthFixture;
let invariants: Invariants;
let accounts: Record<OAuthProviderType, Two>;
let fake: FakeCalDav;
let caldav: ConnectedAccount;

beforeAll(async () => {
  fake = await startFakeServer('work');
  fixture = await startOAuthFixture({ METRICS_PORT: '0', PROVIDER_TIMEOUT_MS: '2500', EGRESS_ALLOW: fake.egressAllow });
  const two = async (subject: OAuthSubject): Promise<Two> => ({
    ada: await subject.connected(subject.someone()),
    bob: await subject.connected(subject.someone()),
  });
  accounts = { GOOGLE: await two(fixture.GOOGLE), MICROSOFT: await two(fixture.MICROSOFT) };
  caldav = await connectAccount(fixture.service, fake);
  invariants = await Invariants.watching(fixture);
});

beforeEach(() => fixture.everywhere(({ half }) => half.clearRequests()));

afterEach(async () => {
  await fixture.calm();
  await fixture.everywhere(async (subject) => {
    const { ada, bob } = accounts[subject.providerType];
    await eventually('the provider is asked again', async () =>
      (await subject.calendars(ada.accountId)).status === 200 ? true : undefined,
    );
    for (const { accountId } of [ada, bob]) expect(await subject.status(accountId)).toBe('ACTIVE');
  });
  expect((await caldav.call('GET', 'calendars')).status).toBe(200);
});

afterAll(() => invariants?.expectAll());

afterAll(async () => {
  await fixture?.stop();
  await fake?.close();
});

/** Connections to a provider that are open: proc_pid_net(5), established or left half-closed. */
async function connections({ service, url }: OAuthSubject): Promise<number> {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const lines = (await readFile(`/proc/${service.program.pid}/net/tcp`, 'utf8')).split('\n');
  const toProvider = new RegExp(`^\\s*\\d+: \\w{8}:\\w{4} \\w{8}:${port} 0[18] `);
  return lines.filter((line) => toProvider.test(line)).length;
}

describe('F26 the way to a provider and back', () => {
  /** For each account: what waits for its turn at Graph is not part of the provider's time. */
  const CALLERS = { GOOGLE: 15, MICROSOFT: 3 };

  it.each<[string, FaultAction, number, string]>([
    ['is silent', { type: 'hang' }, 504, 'ProviderTimeout'],
    ['gives a byte a second', { type: 'drip', bytesPerSecond: 1 }, 504, 'ProviderTimeout'],
    ['is cut before an answer', { type: 'reset' }, 502, 'ProviderUnavailable'],
    ['is cut within an answer', { type: 'reset-mid-body' }, 502, 'ProviderUnavailable'],
  ])('%s: callers are told so, and no socket is left', async (_, action, status, code) =>
    fixture.everywhere(async (subject) => {
      const { service, half, providerType } = subject;
      const { ada, bob } = accounts[providerType];
      await half.fault({ kind: 'api' }, action);
      const callers = Array.from({ length: CALLERS[providerType] });
      const responses = await Promise.all([
        ...callers.map(() => subject.calendars(ada.accountId)),
        ...callers.map(() => service.call('GET', `/v1/events/${bob.accountId}/${bob.calendarId}`)),
        service.call('POST', `/v1/calendars/${bob.accountId}`, { body: { name: 'Never' } }),
      ]);
      expect(new Set(responses.map((response) => `${response.status} ${response.body.code}`))).toEqual(
        new Set([`${status} ${code}`]),
      );
      await half.clearFaults();
      // One or two for each account may be kept for later calls.
      await eventually('connections are closed', async () => ((await connections(subject)) <= 4 ? true : undefined));
    }),
  );

  it('is silent after a write: the caller hears about it before its own patience ends', async () =>
    fixture.everywhere(async ({ service, half, words, providerType }) => {
      const { accountId, calendarId } = accounts[providerType].ada;
      await half.fault({ methodId: words.methods.insertEvent }, { type: 'hang' });
      const response = await service.call('POST', `/v1/events/${accountId}/${calendarId}`, {
        body: { title: 'Never', start: { date: '2027-02-01' }, end: { date: '2027-02-02' } },
      });
      expect([response.status, response.body.code]).toEqual([504, 'ProviderTimeout']);
    }));
});

describe('F27 a provider answers nobody', () => {
  /** Asks until a caller is turned away without the provider being asked. */
  async function untilTurnedAway(subject: OAuthSubject, accountId: string): Promise<void> {
    await eventually('callers are turned away', async () => {
      const before = await subject.apiCalls();
      const response = await subject.calendars(accountId);
      expect(response.status).toBe(502);
      return (await subject.apiCalls()) === before ? true : undefined;
    });
  }

  it.each([
    ['GOOGLE', 'MICROSOFT'],
    ['MICROSOFT', 'GOOGLE'],
  ] as const)('%s is left alone until one call finds it back, and %s is served', async (providerType, other) => {
    const subject = fixture[providerType];
    const { half } = subject;
    const { ada, bob } = accounts[providerType];
    const asking = () => Promise.all([subject.calendars(ada.accountId), subject.calendars(bob.accountId)]);
    await half.fault({ kind: 'api' }, DOWN);
    await untilTurnedAway(subject, ada.accountId);
    const asked = await subject.apiCalls();
    for (const { status, headers, body } of await asking()) {
      expect([status, body.code]).toEqual([502, 'ProviderUnavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(30);
    }
    expect(await subject.apiCalls()).toBe(asked);
    expect((await caldav.call('GET', 'calendars')).status).toBe(200);
    expect((await fixture[other].calendars(accounts[other].ada.accountId)).status).toBe(200);
    // Tokens come from another service.
    expect((await subject.credentials(bob.accountId)).status).toBe(200);

    await half.clearFaults();
    await half.clearRequests();
    await half.fault({ kind: 'api' }, { type: 'delay', ms: 2_000 }, { times: 1 });
    const early = [];
    while ((await subject.apiCalls()) === 0) {
      early.push(subject.calendars(ada.accountId));
      await delay(50);
    }
    const meanwhile = await asking();
    expect([meanwhile.map(({ status }) => status), await subject.apiCalls()]).toEqual([[502, 502], 1]);
    const statuses = (await Promise.all(early)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect((await asking()).map(({ status }) => status)).toEqual([200, 200]);
  });
});
