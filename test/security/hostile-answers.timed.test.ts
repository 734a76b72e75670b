// 40 s: a server answers for as long as others ask beside it; by itself, for how late the event loop is is what it is about.
import { jest } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { startService, type Service } from '../support/service.js';

/** Other suites may have the machine at the same time. */
jest.setTimeout(120_000);

/** Requests that the one who connects makes to the hostile server at a time. */
const AT_ONCE = 4;
/** Of memory for as many answers as are read at a time; many more are not collected at once. */
const MOST_MIB = 128;
/** How many answers others have to have. */
const ANSWERS = 40;

let hostile: FakeCalDav;
let friendly: FakeCalDav;
let service: Service;
let victim: ConnectedAccount;
/** Of the application that the hostile server's user belongs to. */
let attacker: ConnectedAccount;

beforeAll(async () => {
  hostile = await startFakeServer('theirs');
  friendly = await startFakeServer('mine');
  service = await startService({
    // Not the default of 10: of a machine that others use, a process may have less than a tenth.
    OVERLOAD_DELAY_MS: '100',
    EGRESS_ALLOW: `${hostile.egressAllow},${friendly.egressAllow}`,
    RATE_LIMIT_RPS: '100000',
  });
  victim = await connectAccount(service, friendly, await service.createApplication('victim'));
  attacker = await connectAccount(service, hostile);
}, 120_000);

afterAll(async () => {
  await service?.stop();
  await Promise.all([hostile?.close(), friendly?.close()]);
});

afterEach(() => {
  hostile.switches.intercept = null;
});

const multistatus = (inner: string) => `<?xml version="1.0"?><multistatus xmlns="DAV:">${inner}</multistatus>`;
const many = (count: number, each: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => each(at)).join('');

function connect(): Promise<{ status: number; body: { code: string } }> {
  const { username: email, password } = hostile.login;
  const path = `/v1/basicAuth/connect/${service.applicationId}/caldav`;
  return service.call('POST', path, { body: { serverUrl: hostile.url, email, password } });
}

async function residentMib(): Promise<number> {
  const status = await readFile(`/proc/${service.program.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

/** Does something again and again, until another application that asks beside it has had its answers. */
async function beside<T>(work: () => Promise<T[]>): Promise<{ results: T[]; statuses: number[] }> {
  let isDone = false;
  const statuses: number[] = [];
  const results: T[] = [];
  const asking = async (ask: () => Promise<{ status: number }>) => {
    while (!isDone) statuses.push((await ask()).status);
  };
  const asked = Promise.all([
    asking(() => victim.call('GET', 'events', `/${victim.calendarId}`)),
    asking(() => service.call('GET', '/v1/endUserAccounts', { key: victim.key })),
    asking(() => service.call('GET', '/v1/endUserAccounts', { key: victim.key })),
  ]);
  try {
    do results.push(...(await work()));
    while (statuses.length < ANSWERS);
    return { results, statuses };
  } finally {
    isDone = true;
    await asked;
  }
}

describe('N48 a server whose answers are made to hurt', () => {
  const bodies: [string, () => string][] = [
    ['one element with 200,000 attributes', () => multistatus(`<a ${many(200_000, (at) => `a${at}="x" `)}/>`)],
    ['500,000 small elements', () => multistatus('<a/>'.repeat(500_000))],
    ['500,000 small elements in one response', () => multistatus(`<response>${'<a/>'.repeat(500_000)}</response>`)],
    [
      '300,000 properties',
      () => multistatus(`<response><propstat><prop>${many(300_000, (at) => `<a${at}/>`)}</prop></propstat></response>`),
    ],
    ['100,000 levels', () => multistatus(`${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`)],
    ['a name of 5 MB', () => multistatus(`<${'n'.repeat(5_000_000)}/>`)],
    [
      'a text of 9 MB, all references',
      () => multistatus(`<response><href>${'&#65;'.repeat(1_800_000)}</href></response>`),
    ],
    [
      'declared entities',
      () => `<!DOCTYPE m [<!ENTITY a "${'a'.repeat(100_000)}">]>${multistatus('&a;'.repeat(1_000))}`,
    ],
  ];

  it.each(bodies)('%s: 502 to who connects or reads, 503 to nobody', async (_, body) => {
    const text = body();
    hostile.switches.intercept = ({ method }) =>
      method === 'PROPFIND' || method === 'REPORT'
        ? { status: 207, headers: { 'content-type': 'application/xml' }, body: text }
        : undefined;
    const before = await residentMib();
    const { results, statuses } = await beside(() =>
      Promise.all([
        ...Array.from({ length: AT_ONCE }, connect),
        attacker.call('GET', 'events', `/${attacker.calendarId}`),
        attacker.call('GET', 'calendars'),
      ]),
    );
    expect(new Set(results.map(({ status, body: { code } }) => `${status} ${code}`))).toEqual(
      new Set(['502 ProviderUnavailable']),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await residentMib()) - before).toBeLessThan(MOST_MIB);
  });
});
