// 45 s: providers ask to wait for seconds, and every hint is kept to.
import type { FaultAction } from '../../apps/sandbox/src/faults/fault.js';
import {
  startOAuthFixture,
  type OAuthProviderType,
  type OAuthSubject,
  type OAuthFixture,
} from '../support/oauth-subject.js';
import { eventually } from '../support/processes.js';
import { Invariants } from './invariants.js';

/** Tries of one call. */
const TRIES = 3;
const UNAVAILABLE = { status: 502, body: { code: 'ProviderUnavailable' } };

interface Person {
  email: string;
  accountId: string;
  calendarId: string;
}

let fixture: OAuthFixture;
let invariants: Invariants;
let people: Record<OAuthProviderType, { ada: Person; bob: Person }>;

beforeAll(async () => {
  fixture = await startOAuthFixture({ METRICS_PORT: '0', PROVIDER_TIMEOUT_MS: '3000' });
  const person = async (subject: OAuthSubject): Promise<Person> => {
    const email = subject.someone();
    return { email, ...(await subject.connected(email)) };
  };
  const two = async (subject: OAuthSubject) => ({ ada: await person(subject), bob: await person(subject) });
  people = { GOOGLE: await two(fixture.GOOGLE), MICROSOFT: await two(fixture.MICROSOFT) };
  invariants = await Invariants.watching(fixture);
});

beforeEach(() =>
  fixture.everywhere(async (subject) => {
    // One good answer: what failed before is no part of a row of failures any more.
    await eventually('the provider answers', async () =>
      (await calendarsOf(subject)).status === 200 ? true : undefined,
    );
    await subject.half.clearRequests();
  }),
);

afterEach(async () => {
  await fixture.calm();
  await fixture.everywhere(async (subject) => {
    const { ada, bob } = people[subject.providerType];
    for (const { accountId } of [ada, bob]) expect(await subject.status(accountId)).toBe('ACTIVE');
  });
});

afterAll(() => invariants?.expectAll());

afterAll(() => fixture?.stop());

const adaOf = ({ providerType }: OAuthSubject) => people[providerType].ada;
const calendarsOf = (subject: OAuthSubject) => subject.calendars(adaOf(subject).accountId);
const callsOf = (subject: OAuthSubject) => subject.apiCalls(adaOf(subject).email);
const retryAfter = ({ headers }: { headers: Headers }) => Number(headers.get('retry-after'));
const fault = (subject: OAuthSubject, action: FaultAction, times?: number) =>
  subject.half.fault({ kind: 'api', email: adaOf(subject).email }, action, { times });
const eventsPath = (subject: OAuthSubject) => {
  const { accountId, calendarId } = adaOf(subject);
  return `/v1/events/${accountId}/${calendarId}`;
};
const event = (title: string) => ({
  title,
  start: { dateTime: '2027-02-01T09:00:00Z' },
  end: { dateTime: '2027-02-01T10:00:00Z' },
});
const insert = (subject: OAuthSubject, title: string) =>
  subject.service.call('POST', eventsPath(subject), { body: event(title) });

describe('F24 a provider asks to slow down', () => {
  const inSomeSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString();
  const limited = (status: number, reason: string, requestSync?: string) => ({
    type: 'status' as const,
    status,
    reason,
    ...(requestSync !== undefined && { headers: { 'retry-after': requestSync } }),
  });
  const slowDown = ({ words }: OAuthSubject, requestSync?: string) => limited(429, words.rateLimited, requestSync);

  /** Without a hint: tried again some times, then told, while others are served. */
  async function meetsLimit(subject: OAuthSubject, action: ReturnType<typeof limited>): Promise<void> {
    await fault(subject, action);
    const { bob } = people[subject.providerType];
    const [response, other] = await Promise.all([calendarsOf(subject), subject.calendars(bob.accountId)]);
    expect([response.status, response.body.code, retryAfter(response)]).toEqual([429, 'ProviderRateLimited', 10]);
    expect(response.body.provider).toMatchObject({ status: action.status, code: action.reason, retryable: true });
    expect(other.status).toBe(200);
    const calls = await callsOf(subject);
    expect(calls).toBeGreaterThan(1);
    expect(calls).toBeLessThanOrEqual(TRIES);
  }

  it('429 without a hint: tried again some times, then told, while others are served', () =>
    fixture.everywhere((subject) => meetsLimit(subject, limited(429, subject.words.rateLimited))));

  it.each(['rateLimitExceeded', 'userRateLimitExceeded'])('403 %s of Google is the same', (reason) =>
    meetsLimit(fixture.GOOGLE, limited(403, reason)),
  );

  it.each<[string, string | (() => string), number, number]>([
    ['seconds', '77', 77, 77],
    ['a fraction more', '77.25', 78, 78],
    ['a date', () => inSomeSeconds(300), 290, 300],
    ['more than anybody would wait', '999999999', 3_600, 3_600],
    ['a date in years', 'Fri, 31 Dec 2100 23:59:59 GMT', 3_600, 3_600],
  ])('a hint too far off is passed on, and the call not repeated: %s', (_, requestSync, least, most) =>
    fixture.everywhere(async (subject) => {
      await fault(subject, slowDown(subject, typeof requestSync === 'string' ? requestSync : requestSync()));
      const response = await calendarsOf(subject);
      expect([response.status, response.body.code]).toEqual([429, 'ProviderRateLimited']);
      expect(retryAfter(response)).toBeGreaterThanOrEqual(least);
      expect(retryAfter(response)).toBeLessThanOrEqual(most);
      expect(await callsOf(subject)).toBe(1);
    }),
  );

  it.each(['-5', 'Fri, 99 Foo 2026'])('a hint that is none, %s, counts as none', (requestSync) =>
    fixture.everywhere(async (subject) => {
      await fault(subject, slowDown(subject, requestSync));
      const response = await calendarsOf(subject);
      expect([response.status, retryAfter(response)]).toEqual([429, 10]);
    }),
  );

  it.each([
    ['1', 990],
    ['0.75', 740],
  ])('a short hint, %s, is waited out, for writes too, and nothing is done twice', (requestSync, minMs) =>
    fixture.everywhere(async (subject) => {
      const match = { methodId: subject.words.methods.insertEvent };
      await subject.half.fault(match, slowDown(subject, requestSync), { times: 1 });
      const beganAt = performance.now();
      expect((await insert(subject, 'Waited')).status).toBe(200);
      expect(performance.now() - beganAt).toBeGreaterThanOrEqual(minMs);
      const statuses = (await subject.half.requests(match)).map(({ status }) => status);
      expect(statuses).toEqual([429, subject.words.created]);
    }),
  );

  it('of many writes that are turned away none is dropped, and none done twice', () =>
    fixture.everywhere(async (subject) => {
      const match = { methodId: subject.words.methods.insertEvent };
      await subject.half.fault(match, slowDown(subject, '1'), { times: 4 });
      const titles = Array.from({ length: 8 }, (_, index) => `Crowd ${index}`);
      const responses = await Promise.all(titles.map((title) => insert(subject, title)));
      expect(responses.map(({ status }) => status)).toEqual(titles.map(() => 200));
      const { body } = await subject.service.call('GET', eventsPath(subject), { query: { search: 'Crowd' } });
      expect(body.data.map(({ title }: { title: string }) => title).toSorted()).toEqual(titles);
    }));

  it('a usage limit of Google lasts for hours: told at once, not repeated', async () => {
    const { GOOGLE: google } = fixture;
    await fault(google, limited(403, 'quotaExceeded'));
    const response = await calendarsOf(google);
    expect([response.status, response.body.code, retryAfter(response)]).toEqual([429, 'ProviderRateLimited', 3_600]);
    expect(await callsOf(google)).toBe(1);
    expect((await google.calendars(people.GOOGLE.bob.accountId)).status).toBe(200);
  });

  it.each(['dailyLimitExceeded', 'accessNotConfigured'])(
    "%s of Google is about the operator's project: 502, not repeated",
    async (reason) => {
      const { GOOGLE: google } = fixture;
      await fault(google, limited(403, reason));
      const response = await calendarsOf(google);
      expect([response.status, response.body.code]).toEqual([502, 'ProviderUnavailable']);
      expect(response.body.provider).toMatchObject({ status: 403, code: reason, retryable: false });
      expect(await callsOf(google)).toBe(1);
    },
  );

  describe('inside of a batch of Graph', () => {
    const part = { methodId: 'get_me_calendars_By_calendar_id_events_By_event_id' };
    const series = (title: string) => ({ ...event(title), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
    let path: string;
    const titlesOf = async () => {
      const { status, body } = await fixture.MICROSOFT.service.call('GET', path);
      return status === 200 ? body.data.map(({ title }: { title: string }) => title).toSorted() : [status, body.code];
    };

    beforeAll(async () => {
      const { service } = fixture;
      const { accountId } = people.MICROSOFT.bob;
      const made = await service.call('POST', `/v1/calendars/${accountId}`, { body: { name: 'Series' } });
      path = `/v1/events/${accountId}/${made.body.id}`;
      for (const title of ['one', 'two', 'three']) {
        expect((await service.call('POST', path, { body: series(title) })).status).toBe(200);
      }
    });

    // Parts wait for each other: each time is a round of its own, and has its wait.
    it.each([
      ['1', 1],
      ['0.5', 2],
      [undefined, 1],
    ])('what is turned away is asked for again after %s, and all of it told', async (requestSync, times) => {
      await fixture.MICROSOFT.half.fault(part, slowDown(fixture.MICROSOFT, requestSync), { times });
      expect(await titlesOf()).toEqual(['one', 'three', 'two']);
    });

    it('what stays turned away is told, never left out', async () => {
      await fixture.MICROSOFT.half.fault(part, slowDown(fixture.MICROSOFT, '600'), { skip: 1 });
      const response = await fixture.service.call('GET', path);
      expect([response.status, response.body.code, retryAfter(response)]).toEqual([429, 'ProviderRateLimited', 600]);
    });
  });
});

describe('F25 a provider answers with nonsense', () => {
  const passing: [string, FaultAction][] = [
    ['500', { type: 'status', status: 500 }],
    ['503', { type: 'status', status: 503, body: 'busy' }],
    ["a proxy's page", { type: 'html' }],
    ['half of an answer', { type: 'truncate' }],
    ['bytes that are no JSON', { type: 'garbage' }],
  ];

  it.each(passing)('%s: repeated twice at most, told as 502, and over when it is over', (_, action) =>
    fixture.everywhere(async (subject) => {
      await fault(subject, action);
      const response = await calendarsOf(subject);
      expect([response.status, response.body.code]).toEqual([502, 'ProviderUnavailable']);
      expect(await callsOf(subject)).toBeLessThanOrEqual(TRIES);
      await subject.half.clearFaults();
      expect((await calendarsOf(subject)).status).toBe(200);
    }),
  );

  it.each(passing)('%s: what cannot be undone is never repeated', (_, action) =>
    fixture.everywhere(async (subject) => {
      const match = { methodId: subject.words.methods.insertCalendar };
      await subject.half.fault(match, action);
      const { accountId } = adaOf(subject);
      const response = await subject.service.call('POST', `/v1/calendars/${accountId}`, { body: { name: 'Never' } });
      expect([response.status, response.body.code]).toEqual([502, 'ProviderUnavailable']);
      expect(await subject.half.requests(match)).toHaveLength(1);
    }),
  );

  type List = OAuthSubject['words']['list'];
  const lists: [string, (list: List) => unknown][] = [
    ['nothing', () => null],
    ['a list', () => []],
    ['a number', () => 7],
    ['a text', () => '"text"'],
    ['items that are no list', ({ items }) => ({ [items]: 'none' })],
    ['items of null', ({ items }) => ({ [items]: [null] })],
    ['items of numbers', ({ items }) => ({ [items]: [7] })],
    ['items without ids', ({ items }) => ({ [items]: [{ summary: 'x', start: {}, end: {} }] })],
    ['ids that are no text', ({ items }) => ({ [items]: [{ id: 7 }, { id: {} }] })],
    ['keys of JavaScript', ({ items }) => ({ [items]: [JSON.parse('{"__proto__":{"id":"x","polluted":true}}')] })],
    ['a page token that is no text', ({ items, next }) => ({ [items]: [], [next]: { more: true } })],
  ];
  const things: [string, unknown][] = [
    ['nothing', null],
    ['a list', []],
    ['an empty object', {}],
    ['an id that is no text', { id: 7, start: [], end: 'x' }],
    ['keys of JavaScript', JSON.parse('{"__proto__":{"id":"x"},"constructor":{"prototype":{}}}')],
  ];
  const window = { startDateTime: '2027-01-01T00:00:00Z', endDateTime: '2027-02-01T00:00:00Z' };
  const replace = ({ half }: OAuthSubject, methodIds: string[], body: unknown) =>
    Promise.all([...new Set(methodIds)].map((methodId) => half.fault({ methodId }, { type: 'replace', body })));

  it.each(lists)('N51 lists of events: %s', (_, body) =>
    fixture.everywhere(async (subject) => {
      const { methods, list } = subject.words;
      await replace(subject, [methods.listEvents, methods.readWindow], body(list));
      expect(await subject.service.call('GET', eventsPath(subject))).toMatchObject(UNAVAILABLE);
      expect(await subject.service.call('GET', eventsPath(subject), { query: window })).toMatchObject(UNAVAILABLE);
    }),
  );

  it.each(lists)('N51 lists of calendars: %s', (_, body) =>
    fixture.everywhere(async (subject) => {
      await replace(subject, [subject.words.methods.listCalendars], body(subject.words.list));
      expect(await calendarsOf(subject)).toMatchObject(UNAVAILABLE);
    }),
  );

  it.each(things)('N51 one event, read and written: %s', (_, body) =>
    fixture.everywhere(async (subject) => {
      const { getEvent, insertEvent, patchEvent } = subject.words.methods;
      const { body: made } = await insert(subject, 'Here');
      const path = `${eventsPath(subject)}/${made.id}`;
      await replace(subject, [getEvent, insertEvent, patchEvent], body);
      expect(await subject.service.call('GET', path)).toMatchObject(UNAVAILABLE);
      expect(await subject.service.call('PUT', path, { body: { title: 'There' } })).toMatchObject(UNAVAILABLE);
      const created = await insert(subject, 'New');
      // Where repeats are left the second try is told that the event is there: it has been made, and nobody hears that it failed.
      if (created.status === 200) expect(created.body.title).toBe('New');
      else expect(created).toMatchObject(UNAVAILABLE);
    }),
  );

  it.each(things)('N51 one calendar, read and made: %s', (what, body) =>
    fixture.everywhere(async (subject) => {
      const { accountId, calendarId } = adaOf(subject);
      const { getCalendar, insertCalendar } = subject.words.methods;
      await replace(subject, [getCalendar, insertCalendar], body);
      const path = `/v1/calendars/${accountId}`;
      expect(await subject.service.call('GET', `${path}/${calendarId}`)).toMatchObject(UNAVAILABLE);
      expect(await subject.service.call('POST', path, { body: { name: `New: ${what}` } })).toMatchObject(UNAVAILABLE);
    }),
  );

  describe('N51 busy times', () => {
    const busyOf = (subject: OAuthSubject) => {
      const { accountId, calendarId } = adaOf(subject);
      const body = {
        startDateTime: '2027-01-01T00:00:00Z',
        endDateTime: '2027-01-02T00:00:00Z',
        timeZone: 'UTC',
        calendarIds: [calendarId],
      };
      return subject.service.call('POST', `/v1/freeBusy/${accountId}`, { body });
    };

    it.each<[string, (calendarId: string) => unknown]>([
      ['nothing', () => null],
      ['no calendars', () => ({})],
      ['calendars that are no object', () => ({ calendars: 7 })],
      ['a calendar that is null', (id) => ({ calendars: { [id]: null } })],
      ['busy times that are no list', (id) => ({ calendars: { [id]: { busy: 'never' } } })],
      ['busy times that are no times', (id) => ({ calendars: { [id]: { busy: [{ start: 'x', end: 7 }, null] } } })],
    ])('of Google: %s', async (_, body) => {
      const { GOOGLE: google } = fixture;
      await replace(google, ['calendar.freebusy.query'], body(adaOf(google).calendarId));
      expect(await busyOf(google)).toMatchObject(UNAVAILABLE);
    });

    it.each(lists)('of Graph: %s', async (_, body) => {
      const { MICROSOFT: microsoft } = fixture;
      await replace(microsoft, [microsoft.words.methods.readWindow], body(microsoft.words.list));
      expect(await busyOf(microsoft)).toMatchObject(UNAVAILABLE);
    });
  });

  it('N51 more than can be right is cut off, and asked for once', () =>
    fixture.everywhere(async (subject) => {
      await fault(subject, { type: 'huge', bytes: 100 * 1024 * 1024 });
      const response = await calendarsOf(subject);
      expect([response.status, response.body.provider.code]).toEqual([502, 'response-too-large']);
      expect(await callsOf(subject)).toBe(1);
    }));

  it('repeats a tenth of the traffic at most, once what was saved up is used', () =>
    fixture.everywhere(async (subject) => {
      const calls = 60;
      await fault(subject, { type: 'status', status: 503 });
      const responses = await Promise.all(Array.from({ length: calls }, () => calendarsOf(subject)));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([502]));
      // Ten were saved up at most, six earned, and one comes back every ten seconds.
      expect(await callsOf(subject)).toBeLessThanOrEqual(calls + 10 + 6 + 3);
    }));
});
