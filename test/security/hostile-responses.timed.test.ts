// 40 s: a server answers for as long as others ask beside it; by itself, for how late the event loop is is what it is about.
import { randomUUID } from 'node:crypto';
import {
  calendarObject,
  connectAccount,
  startFakeServer,
  type ConnectedAccount,
} from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { expectReleased, residentMiB } from '../support/resident-memory.js';
import { startService, type Service } from '../support/service.js';

/** Requests that the one who connects makes to the hostile server at a time. */
const AT_ONCE = 4;
/** Limit of the memory that the process keeps after a hostile response, MiB. */
const MAX_MIB = 64;
/** How much longer others may wait than they do while nothing hostile is read, and what a busy machine adds. */
const TIMES_LONGER = 5;
const BUSY_MS = 250;
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
    OVERLOAD_TARGET_DELAY_MS: '100',
    EGRESS_ALLOW: `${hostile.egressAllow},${friendly.egressAllow}`,
    RATE_LIMIT_RPS: '100000',
  });
  victim = await connectAccount(service, friendly, await service.createApplication('victim'));
  attacker = await connectAccount(service, hostile);
});

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

/** Does something again and again, until another application that asks beside it has had its answers. */
async function beside<T>(work: () => Promise<T[]>): Promise<{ results: T[]; statuses: number[]; medianMs: number }> {
  let isDone = false;
  const statuses: number[] = [];
  const waitsMs: number[] = [];
  const results: T[] = [];
  const asking = async (ask: () => Promise<{ status: number }>) => {
    while (!isDone) {
      const startedMs = performance.now();
      statuses.push((await ask()).status);
      waitsMs.push(performance.now() - startedMs);
    }
  };
  const asked = Promise.all([
    asking(() => victim.call('GET', 'events', `/${victim.calendarId}`)),
    asking(() => service.call('GET', '/v1/endUserAccounts', { key: victim.key })),
    asking(() => service.call('GET', '/v1/endUserAccounts', { key: victim.key })),
  ]);
  try {
    do results.push(...(await work()));
    while (statuses.length < ANSWERS);
    const medianMs = waitsMs.toSorted((one, other) => one - other)[Math.floor(waitsMs.length / 2)] ?? 0;
    return { results, statuses, medianMs };
  } finally {
    isDone = true;
    await asked;
  }
}

/** What they cost while the server is as any other. */
let quietMs: number;

function askTheHostileServer(): Promise<{ status: number; body: { code: string } }[]> {
  return Promise.all([
    ...Array.from({ length: AT_ONCE }, connect),
    attacker.call('GET', 'events', `/${attacker.calendarId}`),
    attacker.call('GET', 'calendars'),
  ]);
}

/** One object as the only event of the calendar, whichever way it is asked for. */
function serving(text: string): NonNullable<FakeCalDav['switches']['intercept']> {
  const data = text.replaceAll('&', '&amp;').replaceAll('\r', '&#13;');
  return ({ method, body }) => {
    if (method === 'GET') return { status: 200, headers: { 'content-type': 'text/calendar' }, body: text };
    if (method !== 'REPORT' || !body.includes('calendar-multiget')) return undefined;
    const responses = [...body.matchAll(/<D:href>([^<]*)</g)].map(
      ([, href]) =>
        `<response><href>${href}</href><propstat><prop><getetag>"${randomUUID()}"</getetag><C:calendar-data xmlns:C="urn:ietf:params:xml:ns:caldav">${data}</C:calendar-data></prop></propstat></response>`,
    );
    return { status: 207, headers: { 'content-type': 'application/xml' }, body: multistatus(responses.join('')) };
  };
}

/** One event, and two lists. */
function readEvents(): Promise<{ status: number; body: any }[]> {
  const path = `/${attacker.calendarId}`;
  const window = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z' };
  return Promise.all([
    attacker.call('GET', 'events', `${path}/${attacker.eventId}`),
    attacker.call('GET', 'events', path),
    attacker.call('GET', 'events', path, { query: { ...window, expandRecurrences: true } }),
  ]);
}

beforeAll(async () => {
  // The first ones compile what they run, and large ones make the heap as large as it is to be.
  hostile.switches.intercept = serving(calendarObject('first', 'First', `DESCRIPTION:${'large '.repeat(170_000)}`));
  for (let round = 0; round < 5; round += 1) await beside(readEvents);
  hostile.switches.intercept = null;
  for (let round = 0; round < 3; round += 1) quietMs = (await beside(askTheHostileServer)).medianMs;
});

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
    const before = residentMiB(service.program.pid);
    const { results, statuses, medianMs } = await beside(askTheHostileServer);
    expect(new Set(results.map(({ status, body: { code } }) => `${status} ${code}`))).toEqual(
      new Set(['502 ProviderUnavailable']),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(medianMs).toBeLessThan(quietMs * TIMES_LONGER + BUSY_MS);
    await expectReleased(service.program.pid, before, MAX_MIB);
  });
});

describe('N48 a server whose events are made to hurt', () => {
  const MIB = 1024 * 1024;
  const objectOf = (...lines: string[]) => calendarObject('first', 'First', ...lines);
  const listed = ({ status, body: { code } }: { status: number; body: { code?: string } }) =>
    code === undefined ? `${status}` : `${status} ${code}`;
  const objects: [string, string, () => string][] = [
    ['9,000 rules', 'is shown', () => objectOf(many(9_000, (at) => `RRULE:FREQ=DAILY;INTERVAL=${at + 1}\r\n`).trim())],
    ['a text of escapes', 'is shown', () => objectOf(`DESCRIPTION:${'\\n'.repeat(MIB / 2 - 500)}`)],
    ['parameters', 'is refused', () => objectOf(`ATTENDEE${';A=1'.repeat(MIB / 4 - 500)}:mailto:a@example.com`)],
    ['folds', 'is refused', () => objectOf(`DESCRIPTION:${'\r\n '.repeat(MIB / 3 - 500)}`)],
  ];

  it.each(objects)('%s: it %s, and others have their answers', async (name, outcome, object) => {
    hostile.switches.intercept = serving(object());
    const before = residentMiB(service.program.pid);
    const { results, statuses, medianMs } = await beside(readEvents);
    const one = results.filter((_result, at) => at % 3 === 0);
    expect(new Set(one.map(({ status, body }) => `${status} ${body.code ?? body.title}`))).toEqual(
      new Set([outcome === 'is refused' ? '502 ProviderUnavailable' : '200 First']),
    );
    const lists = [1, 2].map((kind) => new Set(results.filter((_result, at) => at % 3 === kind).map(listed)));
    // What is shown and cannot be expanded is named instead of left out.
    expect(lists).toEqual([new Set(['200']), new Set([name === '9,000 rules' ? '400 ValidationFailed' : '200'])]);
    if (outcome === 'is refused') expect(service.program.stdout()).toContain('cannot be read');
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(medianMs).toBeLessThan(quietMs * TIMES_LONGER + BUSY_MS);
    await expectReleased(service.program.pid, before, MAX_MIB);
  });
});
