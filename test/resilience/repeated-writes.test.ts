// 55 s: the service is killed in the middle of every kind of write, at every provider.
import type { FaultAction, FaultMatch } from '../../apps/sandbox/src/faults/fault.js';
import {
  OAUTH_PROVIDERS,
  startOAuthFixture,
  WORDS,
  type OAuthProviderType,
  type OAuthSubject,
  type OAuthFixture,
} from '../support/oauth-subject.js';
import { eventually } from '../support/processes.js';
import { callService, startAnotherApi, startApi, type Answer, type CallOptions } from '../support/service.js';
import { Invariants } from './invariants.js';
import { providerView, type ProviderView } from './provider-view.js';

interface Person {
  email: string;
  accountId: string;
  calendarId: string;
}

const LOST: FaultAction = { type: 'lose-response' };
/** Done by the provider, and answered so slowly that nobody lives to read it. */
const LATE: FaultAction = { type: 'drip', bytesPerSecond: 1 };
/** Never done, never answered. */
const SILENT: FaultAction = { type: 'hang' };

let fixture: OAuthFixture;
let invariants: Invariants;

beforeAll(async () => {
  fixture = await startOAuthFixture({ METRICS_PORT: '0' });
  invariants = await Invariants.watching(fixture);
});

afterAll(() => invariants?.expectAll());

afterAll(() => fixture?.stop());

/** The requests that a new calendar takes, in their order. */
const CALENDAR_WRITES: Record<OAuthProviderType, readonly [string, ...string[]]> = {
  GOOGLE: ['calendar.calendars.insert', 'calendar.calendarList.patch', 'calendar.calendars.patch'],
  MICROSOFT: ['create_me_calendars'],
};
/** When the service dies while a calendar is made: during which request, and how far that got. */
const CALENDAR_DEATHS: Record<OAuthProviderType, [when: string, methodId: string, action: FaultAction][]> = {
  GOOGLE: [
    ['before Google has made it', 'calendar.calendars.insert', SILENT],
    ['after Google has made it', 'calendar.calendars.insert', LATE],
    ['after its mark is taken off', 'calendar.calendars.patch', LATE],
  ],
  MICROSOFT: [['after Graph has made it', 'create_me_calendars', LATE]],
};
/** What an instance at 8 UTC is called behind its date. */
const AT_EIGHT = { GOOGLE: 'T080000Z', MICROSOFT: '' };

describe.each(OAUTH_PROVIDERS)('F23 writes whose answer %s loses', (providerType) => {
  let subject: OAuthSubject;
  let view: ProviderView;
  let ada: Person;
  let bob: Person;
  /** Of the api that is asked. */
  let origin: string;
  let runs = 0;
  const { methods } = WORDS[providerType];

  beforeAll(async () => {
    subject = fixture[providerType];
    view = providerView(subject);
    origin = fixture.service.baseUrl;
    const person = async (): Promise<Person> => {
      const email = subject.someone();
      return { email, ...(await subject.connected(email)) };
    };
    ada = await person();
    bob = await person();
  });

  beforeEach(async () => {
    runs += 1;
    await subject.half.clearRequests();
  });

  afterEach(() => fixture.calm());

  const call = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
    callService(origin, fixture.service.apiKey, method, path, options);
  const eventsPath = ({ accountId, calendarId } = ada) => `/v1/events/${accountId}/${calendarId}`;
  const titleOf = (name: string) => `${name} ${providerType} ${runs}`;
  const eventsNamed = (title: string) => view.eventsNamed(ada.email, title);
  const calendarsNamed = (name: string) => view.calendarsNamed(ada.email, name);
  const single = (title: string) => ({
    title,
    start: { dateTime: '2027-02-01T09:00:00', timeZone: 'Europe/Berlin' },
    end: { dateTime: '2027-02-01T10:00:00', timeZone: 'Europe/Berlin' },
  });
  const created = async (body: Record<string, unknown>, path = eventsPath()): Promise<any> => {
    const response = await call('POST', path, { body });
    expect(response.status).toBe(200);
    return response.body;
  };

  /** Runs a request in an api process of its own, which is killed as soon as the provider has the request that matters. */
  async function killedDuring(method: string, path: string, options: CallOptions, match: FaultMatch): Promise<void> {
    const { service, half } = subject;
    const victim = await startAnotherApi(service.env);
    try {
      const response = callService(victim.baseUrl, service.apiKey, method, path, options);
      const lost = expect(response).rejects.toThrow();
      await eventually('the provider has the request', async () =>
        (await half.faults()).some(({ fired }) => fired > 0) ? true : undefined,
      );
      expect(await half.requests(match)).toHaveLength(1);
      victim.program.child.kill('SIGKILL');
      await lost;
    } finally {
      victim.program.child.kill('SIGKILL');
      await victim.program.exited;
    }
    await half.clearFaults();
  }

  /** Claims of keys whose holder died are free from now on. */
  const freeClaims = () =>
    subject.admin("update idempotency_record set locked_until = clock_timestamp() - interval '1 second'");

  /** The same POST until it is answered with 200. */
  async function repeated(path: string, options: CallOptions): Promise<Answer> {
    const response = await call('POST', path, options);
    expect(response.status).toBe(200);
    return response;
  }

  describe('a new event', () => {
    const insert: FaultMatch = { methodId: methods.insertEvent };

    it.each([
      ['with a key', { 'idempotency-key': `one loss ${providerType}` }],
      ['without one', {}],
    ])('is made once when one answer is lost, %s', async (_, headers: Record<string, string>) => {
      const title = titleOf('One loss');
      await subject.half.fault(insert, LOST, { times: 1 });
      const response = await call('POST', eventsPath(), { body: single(title), headers });
      expect(response.status).toBe(200);
      expect(await eventsNamed(title)).toMatchObject([{ id: response.body.id }]);
    });

    it('is made once when every answer is lost and the caller comes again with its key', async () => {
      const title = titleOf('All lost');
      const request = { body: single(title), headers: { 'idempotency-key': title } };
      await subject.half.fault(insert, LOST);
      expect(await call('POST', eventsPath(), request)).toMatchObject({
        status: 502,
        body: { code: 'ProviderUnavailable' },
      });
      await subject.half.clearFaults();
      const { body } = await repeated(eventsPath(), request);
      expect(await eventsNamed(title)).toMatchObject([{ id: body.id }]);
    });

    it.each([
      ['before', SILENT],
      ['after', LATE],
    ])('is made once when the service dies %s the provider has made it', async (when, action) => {
      const title = titleOf(`Killed ${when}`);
      const request = { body: single(title), headers: { 'idempotency-key': title } };
      await subject.half.fault(insert, action);
      await killedDuring('POST', eventsPath(), request, insert);
      expect(await eventsNamed(title)).toHaveLength(when === 'after' ? 1 : 0);

      const early = await call('POST', eventsPath(), request);
      expect([early.status, early.body.code]).toEqual([409, 'Conflict']);
      expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);

      await freeClaims();
      const { body } = await repeated(eventsPath(), request);
      expect(body.title).toBe(title);
      expect(await eventsNamed(title)).toMatchObject([{ id: body.id }]);
      const replay = await repeated(eventsPath(), request);
      expect([replay.headers.get('idempotency-replayed'), replay.body.id]).toEqual(['true', body.id]);
    });
  });

  describe('a new calendar', () => {
    const path = () => `/v1/calendars/${ada.accountId}`;

    it.each(CALENDAR_WRITES[providerType])(
      'is made once when the answers to %s are lost and the caller comes again with its key',
      async (methodId) => {
        const name = titleOf('Lost');
        const request = { body: { name, hexColor: '#16a765' }, headers: { 'idempotency-key': name } };
        await subject.half.fault({ methodId }, LOST);
        const first = await call('POST', path(), request);
        await subject.half.clearFaults();
        const { body } = await repeated(path(), request);
        if (first.status === 200) expect(body).toEqual(first.body);
        expect(await calendarsNamed(name)).toMatchObject([{ id: body.id }]);
        expect((await calendarsNamed(name))[0]?.description).toBeUndefined();
      },
    );

    it.each(CALENDAR_DEATHS[providerType])('is made once when the service dies %s', async (when, methodId, action) => {
      const name = titleOf('Killed');
      const request = { body: { name }, headers: { 'idempotency-key': `${name} ${when}` } };
      await subject.half.fault({ methodId }, action);
      await killedDuring('POST', path(), request, { methodId });
      await freeClaims();
      const { body } = await repeated(path(), request);
      expect(body.name).toBe(name);
      expect(await calendarsNamed(name)).toMatchObject([{ id: body.id }]);
      expect((await calendarsNamed(name))[0]?.description).toBeUndefined();
    });
  });

  describe('what can be repeated as it is', () => {
    it.each([
      ['one answer', 1],
      ['every answer', undefined],
    ])('a change is applied when %s is lost', async (_, times) => {
      const { id } = await created(single(titleOf('Before')));
      const title = titleOf('Changed');
      await subject.half.fault({ methodId: methods.patchEvent }, LOST, { times });
      const first = await call('PUT', `${eventsPath()}/${id}`, { body: { title } });
      expect(first.status).toBe(times === 1 ? 200 : 502);
      await subject.half.clearFaults();
      expect(await call('PUT', `${eventsPath()}/${id}`, { body: { title } })).toMatchObject({
        status: 200,
        body: { id, title },
      });
      expect(await eventsNamed(title)).toMatchObject([{ id }]);
    });

    it('a change on condition of a version is no conflict with itself', async () => {
      const { id, etag } = await created(single(titleOf('Before')));
      const title = titleOf('On condition');
      await subject.half.fault({ methodId: methods.patchEvent }, LOST, { times: 1 });
      const response = await call('PUT', `${eventsPath()}/${id}`, { body: { title }, headers: { 'if-match': etag } });
      expect([response.status, response.body.title]).toEqual([200, title]);
    });

    it.each([
      ['one answer', 1],
      ['every answer', undefined],
    ])('a deletion is done when %s is lost', async (_, times) => {
      const title = titleOf('Deleted');
      const { id } = await created(single(title));
      await subject.half.fault({ methodId: methods.deleteEvent }, LOST, { times });
      const first = await call('DELETE', `${eventsPath()}/${id}`);
      expect(first.status).toBe(times === 1 ? 200 : 502);
      await subject.half.clearFaults();
      expect((await call('DELETE', `${eventsPath()}/${id}`)).status).toBe(404);
      expect(await eventsNamed(title)).toEqual([]);
    });

    it.each([
      ['one answer', 1],
      ['every answer', undefined],
    ])('an answer to an invitation is given when %s is lost', async (_, times) => {
      const title = titleOf('Invited');
      await created({ ...single(title), attendees: [{ email: bob.email }] });
      const invited = await view.copyOf(bob.email, title);
      const request = { body: { responseStatus: 'accepted' }, headers: { 'idempotency-key': title } };
      const path = `${eventsPath(bob)}/${invited}/rsvp`;
      await subject.half.fault({ methodId: methods.accept, email: bob.email }, LOST, { times });
      const first = await call('POST', path, request);
      expect(first.status).toBe(times === 1 ? 200 : 502);
      await subject.half.clearFaults();
      await repeated(path, request);
      const [made] = await eventsNamed(title);
      expect(made?.responses[bob.email]).toBe('accepted');
    });
  });

  describe('a series that is cut in two', () => {
    const BEFORE = ['2027-03-01', '2027-03-02', '2027-03-03', '2027-03-04'];
    const AFTER = ['2027-03-05', '2027-03-06', '2027-03-07', '2027-03-08'];

    // How often a process repeats is bounded, and the one of before has repeated a lot.
    let own: Awaited<ReturnType<typeof startApi>> | undefined;
    beforeAll(async () => {
      own = await startAnotherApi(fixture.service.env);
      origin = own.baseUrl;
    });
    afterAll(async () => {
      origin = fixture.service.baseUrl;
      await own?.program.stop();
    });

    /** Eight days from 1 March 2027, the seventh changed by itself. */
    async function series(title: string): Promise<{ path: string; cut: string }> {
      const { id } = await created({
        title,
        start: { dateTime: '2027-03-01T09:00:00', timeZone: 'Europe/Berlin' },
        end: { dateTime: '2027-03-01T10:00:00', timeZone: 'Europe/Berlin' },
        recurrence: ['RRULE:FREQ=DAILY;COUNT=8'],
      });
      const path = `${eventsPath()}/${id}`;
      const changed = await call('PUT', `${path}_20270307${AT_EIGHT[providerType]}`, {
        body: { location: 'elsewhere' },
      });
      expect(changed.status).toBe(200);
      return { path, cut: `${path}_20270305${AT_EIGHT[providerType]}` };
    }
    const daysOf = async (titles: string[]): Promise<[string, string][]> => {
      const { status, body } = await call('GET', eventsPath(), {
        query: {
          startDateTime: '2027-02-28T00:00:00Z',
          endDateTime: '2027-03-31T00:00:00Z',
          expandRecurrences: true,
          orderBy: 'startDateTime',
        },
      });
      expect(status).toBe(200);
      return body.data
        .filter(({ title }: { title: string }) => titles.includes(title))
        .map(({ start, title }: any) => [start.dateTime.slice(0, 10), title]);
    };

    it.each([
      ['the new series', methods.insertEvent, 0],
      ['the changed instance of the new series', methods.patchEvent, 0],
      ['the end of the old series', methods.patchEvent, 1],
    ])('has every day once when the answer about %s is lost', async (_, methodId, skip) => {
      const [before, after] = [titleOf('Before'), titleOf('After')];
      const { cut } = await series(before);
      await subject.half.fault({ methodId }, LOST, { times: 1, skip });
      const response = await call('PUT', cut, { body: { title: after }, query: { scope: 'following' } });
      expect(await daysOf([before, after])).toEqual([
        ...BEFORE.map((day) => [day, before]),
        ...AFTER.map((day) => [day, after]),
      ]);
      expect(response.status).toBe(200);
    });

    it.each([
      ['the new series', methods.insertEvent, 0],
      ['the changed instance of the new series', methods.patchEvent, 0],
      ['the end of the old series', methods.patchEvent, 1],
    ])('has every day once when all is lost from %s on and the caller comes again', async (_, methodId, skip) => {
      const [before, after] = [titleOf('Before'), titleOf('After')];
      const { cut } = await series(before);
      const request = { body: { title: after }, query: { scope: 'following' } };
      await subject.half.fault({ methodId }, LOST, { skip });
      expect((await call('PUT', cut, request)).status).toBe(502);
      await subject.half.clearFaults();
      await call('PUT', cut, request);
      expect(await daysOf([before, after])).toEqual([
        ...BEFORE.map((day) => [day, before]),
        ...AFTER.map((day) => [day, after]),
      ]);
    });

    it('has no day of what is deleted when an answer is lost', async () => {
      const before = titleOf('Before');
      const { cut } = await series(before);
      await subject.half.fault({ methodId: methods.patchEvent }, LOST, { times: 1 });
      expect((await call('DELETE', cut, { query: { scope: 'following' } })).status).toBe(200);
      expect(await daysOf([before])).toEqual(BEFORE.map((day) => [day, before]));
    });

    it('has every day once when the service dies in between and the caller comes again', async () => {
      const [before, after] = [titleOf('Before'), titleOf('After')];
      const { cut } = await series(before);
      const request = { body: { title: after }, query: { scope: 'following' } };
      const insert = { methodId: methods.insertEvent };
      await subject.half.clearRequests();
      await subject.half.fault(insert, LATE);
      await killedDuring('PUT', cut, request, insert);
      expect((await call('PUT', cut, request)).status).toBe(200);
      expect(await daysOf([before, after])).toEqual([
        ...BEFORE.map((day) => [day, before]),
        ...AFTER.map((day) => [day, after]),
      ]);
    });
  });
});
