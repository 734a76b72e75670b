import {
  calendarObject,
  connectAccount,
  startFakeServer,
  type ConnectedAccount,
} from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { FaultServer, type Fault } from '../support/fault-server.js';
import { doctypeXml } from '../support/faults.js';
import { eventually } from '../support/processes.js';
import { startService, type Answer, type Service } from '../support/service.js';

/** Where external entities lead. */
let trap: FaultServer;
let fake: FakeCalDav;
let service: Service;
let account: ConnectedAccount;

beforeAll(async () => {
  trap = await FaultServer.start();
  fake = await startFakeServer('mine');
  service = await startService({
    EGRESS_ALLOW: `${fake.egressAllow},127.0.0.1:${trap.port}`,
    RATE_LIMIT_RPS: '100000',
  });
  account = await connectAccount(service, fake);
});

afterAll(async () => {
  await service?.stop();
  await Promise.all([trap.close(), fake.close()]);
});

beforeEach(() => {
  fake.switches.intercept = null;
});

function connect(serverUrl: string): Promise<Answer> {
  const { username: email, password } = fake.login;
  const body = { serverUrl, email, password };
  return service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, { body });
}

describe('N50 objects that are broken', () => {
  const event = (...lines: string[]) => calendarObject('broken', 'Broken', ...lines);
  const BROKEN: Record<string, () => string> = {
    nothing: () => '',
    'no calendar': () => '<html>Not found</html>',
    'random bytes': () =>
      Array.from({ length: 4_096 }, (_, i) => String.fromCharCode(0x80 + ((i * 7_919) % 0x700))).join(''),
    'a line of 10 MB': () => event(`DESCRIPTION:${'x'.repeat(10_000_000)}`),
    'a name of a megabyte': () => event(`X-${'N'.repeat(1_000_000)}:x`),
    'folding in the middle of everything': () => event().replaceAll(/(.{7})/g, '$1\r\n '),
    'a continuation without a line': () => ` folded\r\n${event()}`,
    'lone line feeds and returns': () => event('DESCRIPTION:a\rb\nc'),
    'replacement characters': () => event('DESCRIPTION:\ufffd\ufffd\u0085\u2028'),
    'no end': () => event().replaceAll(/^END:.*$/gm, ''),
    'crossed ends': () => event().replace('END:VEVENT', 'END:VCALENDAR'),
    'a property without a value': () => event('LOCATION'),
    'a parameter without an end': () => event('ATTENDEE;CN="Alice:mailto:alice@example.test'),
    'no UID': () => event().replace(/^UID:.*\r\n/m, ''),
    'no DTSTART': () => event().replace(/^DTSTART:.*\r\n/m, ''),
    'an impossible date': () => event().replace('DTSTART:20330110T090000Z', 'DTSTART:20331399T996199Z'),
    'a date of the year 0': () => event().replace('DTSTART:20330110T090000Z', 'DTSTART:00000101T000000Z'),
    'an end before the start': () => event().replace('DTEND:20330110T100000Z', 'DTEND:19700101T000000Z'),
    'a duration without measure': () => event('DURATION:P99999999999999999999W').replace(/^DTEND.*\r\n/m, ''),
    'a zone that nobody defines': () =>
      event().replace('DTSTART:20330110T090000Z', 'DTSTART;TZID=Mars/Olympus:20330110T090000'),
    'a TZID of a megabyte': () => event().replace('DTSTART:', `DTSTART;TZID=${'Z'.repeat(1_000_000)}:`),
    'a zone of 10,000 transitions': () =>
      event()
        .replace('DTSTART:20330110T090000Z', 'DTSTART;TZID=Bomb:20330110T090000')
        .replace('BEGIN:VEVENT', `${bomb()}BEGIN:VEVENT`),
    'N49 a rule of every second since 1970': () => event('RRULE:FREQ=SECONDLY').replace('DTSTART:2033', 'DTSTART:1970'),
    'N49 a rule that never meets': () => event('RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'),
    'N49 a rule of a billion': () => event('RRULE:FREQ=MINUTELY;COUNT=1000000000'),
    'no rule at all': () => event('RRULE:FREQ=SOMETIMES;INTERVAL=-1;UNTIL=never'),
    'N49 100,000 excluded dates': () =>
      event('RRULE:FREQ=DAILY', `EXDATE:${Array(100_000).fill('20330110T090000Z').join(',')}`),
    'a hundred levels of components': () =>
      event().replace('END:VEVENT', `${'BEGIN:X\r\n'.repeat(100)}${'END:X\r\n'.repeat(100)}END:VEVENT`),
    '10,000 attendees': () => event(...Array.from({ length: 10_000 }, (_, i) => `ATTENDEE:mailto:a${i}@example.test`)),
    'names that are prototypes': () => event('__PROTO__:x', 'CONSTRUCTOR:x', 'X-UC-PUBLIC-__PROTO__:x'),
    'another series, too': () => `${event()}${event().replace('UID:broken', 'UID:other')}`,
  };

  /** Observances, each of its own moment. */
  function bomb(): string {
    const observances = Array.from({ length: 10_000 }, (_, i) => {
      const year = 1970 + Math.floor(i / 300);
      const day = `${year}${String(1 + (i % 12)).padStart(2, '0')}${String(1 + (i % 25)).padStart(2, '0')}`;
      return `BEGIN:STANDARD\r\nDTSTART:${day}T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nEND:STANDARD\r\n`;
    });
    return `BEGIN:VTIMEZONE\r\nTZID:Bomb\r\n${observances.join('')}END:VTIMEZONE\r\n`;
  }

  const TOO_LARGE = new Set(['N49 a rule of every second since 1970', 'N49 a rule of a billion']);
  const READS: [string, Record<string, string>][] = [
    ['a list', {}],
    ['a window', { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z' }],
    [
      'occurrences in a window',
      { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z', expandRecurrences: 'true' },
    ],
  ];

  it.each(Object.keys(BROKEN))('%s: the others are listed all the same', async (name) => {
    const calendar = fake.store.calendars.get('/calendars/alice/mine/');
    calendar?.put('broken.ics', BROKEN[name]?.() ?? '');
    try {
      for (const [read, query] of READS) {
        const startedAt = performance.now();
        const { status, body } = await account.call('GET', 'events', `/${account.calendarId}`, { query });
        if (TOO_LARGE.has(name) && query['expandRecurrences'] !== undefined) {
          // Without all of its instances the list would say that nothing takes place: it names the series.
          expect([status, body.message]).toEqual([400, expect.stringContaining('series')]);
          continue;
        }
        expect([read, status, body.code]).toEqual([read, 200, undefined]);
        expect(body.data.map(({ id }: { id: string }) => id)).toContain(account.eventId);
        expect(performance.now() - startedAt).toBeLessThan(5_000);
      }
      expect((await account.call('GET', 'events', `/${account.calendarId}/${account.eventId}`)).status).toBe(200);
    } finally {
      calendar?.remove('broken.ics');
    }
  });

  it('what cannot be read is told to operators, without its text', async () => {
    const calendar = fake.store.calendars.get('/calendars/alice/mine/');
    calendar?.put('unreadable.ics', event('DESCRIPTION:canary-of-the-user', ...Array<string>(100).fill('BEGIN:X')));
    await account.call('GET', 'events', `/${account.calendarId}`);
    calendar?.remove('unreadable.ics');
    const line = await eventually('the line about it', () => {
      return service.program
        .stdout()
        .split('\n')
        .find((text) => text.includes('unreadable.ics'));
    });
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', accountId: account.accountId });
    expect(service.program.stdout()).not.toContain('canary-of-the-user');
  });
});

describe('N48 XML made to hurt', () => {
  const multistatus = (inner: string) => `<?xml version="1.0"?><multistatus xmlns="DAV:">${inner}</multistatus>`;
  const bodies: [string, () => string][] = [
    ['entities that multiply', () => captured(doctypeXml())],
    ['an external entity', () => `<!DOCTYPE m [<!ENTITY x SYSTEM "${trap.origin}/">]>${multistatus('&x;')}`],
    ['an external DTD', () => `<!DOCTYPE m SYSTEM "${trap.origin}/x.dtd">${multistatus('')}`],
    ['a parameter entity', () => `<!DOCTYPE m [<!ENTITY % x SYSTEM "${trap.origin}/"> %x;]>${multistatus('')}`],
    [
      'a million numeric references',
      () => multistatus(`<response><href>${'&#65;'.repeat(1_000_000)}</href></response>`),
    ],
    ['100,000 levels', () => multistatus(`${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`)],
    [
      '100,000 attributes',
      () => multistatus(`<a ${Array.from({ length: 100_000 }, (_, i) => `a${i}="x"`).join(' ')}/>`),
    ],
    ['50 MB', () => multistatus('<response><href>/x</href><status>HTTP/1.1 404 x</status></response>'.repeat(700_000))],
    ['a bad name', () => multistatus('<__proto__><constructor/></__proto__>')],
  ];

  it.each(bodies)('%s: answered in bounded time while others are served', async (name, body) => {
    const isRejected = name.startsWith('an ') || name.startsWith('a parameter') || name.startsWith('entities');
    const text = body();
    fake.switches.intercept = ({ method }) =>
      method === 'PROPFIND' || method === 'REPORT'
        ? { status: 207, headers: { 'content-type': 'application/xml' }, body: text }
        : undefined;
    const others: number[] = [];
    let isDone = false;
    const meanwhile = (async () => {
      while (!isDone) {
        const startedAt = performance.now();
        expect((await fetch(`${service.baseUrl}/health/live`)).status).toBe(200);
        others.push(performance.now() - startedAt);
      }
    })();
    const startedAt = performance.now();
    const responses = [
      await account.call('GET', 'events', `/${account.calendarId}`),
      await account.call('GET', 'calendars'),
      await connect(fake.url),
    ];
    const durationMs = performance.now() - startedAt;
    isDone = true;
    await meanwhile;
    for (const { status, body: rejected } of responses) {
      if (isRejected) expect([status, rejected.code]).toEqual([502, 'ProviderUnavailable']);
      // Some of it is legal XML, and means that there is nothing, or a thing with a name a megabyte long.
      expect([200, 400, 404, 502]).toContain(status);
      expect(JSON.stringify(rejected)).not.toMatch(/root:|lol|AAAA/);
    }
    expect(durationMs).toBeLessThan(isRejected ? 3_000 : 20_000);
    expect(Math.max(...others)).toBeLessThan(2_000);
    expect(trap.connectionCount).toBe(0);
  });

  /** The body that a fault would send. */
  function captured(fault: Fault): string {
    let text = '';
    const response = { writeHead: () => response, end: (body: string) => void (text = body) };
    fault(undefined as never, response as never);
    return text;
  }
});
