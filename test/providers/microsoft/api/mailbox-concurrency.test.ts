// 25 s: forty calls wait for four places, again and again, through two processes.
import { hour } from '../../../support/berlin-times.js';
import { callService, startAnotherApi, startApi, type Answer } from '../../../support/service.js';
import { openOutlookAccount, type OutlookAccount } from './outlook-account.js';

const JUNE = { startDateTime: '2027-06-01T00:00:00Z', endDateTime: '2027-07-01T00:00:00Z' };
const VIEW = 'list_me_calendars_By_calendar_id_calendarView';

describe('a mailbox of Exchange, which serves four requests at a time', () => {
  let a: OutlookAccount;
  let second: Awaited<ReturnType<typeof startApi>>;

  beforeAll(async () => {
    a = await openOutlookAccount();
    second = await startAnotherApi(a.service.env);
  });

  beforeEach(() => a.sandbox.microsoft.clearRequests());

  afterEach(() => a.sandbox.microsoft.clearFaults());

  afterAll(async () => {
    await second?.program.stop();
    await a.stop();
  });

  /** One call of many, by one process or the other. */
  const through = (index: number, method: string, below = '', options = {}): Promise<Answer> =>
    callService(
      index % 2 === 0 ? a.service.baseUrl : second.baseUrl,
      a.service.apiKey,
      method,
      `/v1/events/${a.accountId}/${encodeURIComponent(a.calendarId)}${below}`,
      options,
    );
  const refusals = async () => (await a.sandbox.microsoft.requests()).filter(({ status }) => status === 429).length;

  it('F24 is never asked for a fifth, by forty calls on two processes, and none of them is lost or refused', async () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=5'];
    const [series] = await Promise.all(
      ['One', 'Two', 'Three', 'Four', 'Five', 'Six'].map((title) =>
        a.create(a.calendarId, { title, ...hour('2027-06-01'), recurrence }),
      ),
    );
    await a.sandbox.microsoft.fault({ kind: 'api' }, { type: 'delay', ms: 20 });
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const title = `Call ${index}`;
        if (index % 4 === 0) return through(index >> 2, 'GET', '', { query: JUNE });
        if (index % 4 === 1) return through(index >> 2, 'POST', '', { body: { title, ...hour('2027-06-10') } });
        if (index % 4 === 2) return through(index >> 2, 'GET', `/${encodeURIComponent(series.id)}`);
        return through(index >> 2, 'GET', `/${encodeURIComponent(series.id)}/occurrences`, { query: JUNE });
      }),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(await refusals()).toBe(0);
    await a.sandbox.microsoft.clearFaults();
    const { items } = await a.list(a.calendarId, { search: 'Call ' });
    expect(items.map(({ title }) => title).sort()).toEqual(
      Array.from({ length: 40 }, (_, index) => index)
        .filter((index) => index % 4 === 1)
        .map((index) => `Call ${index}`)
        .sort(),
    );
  });

  it.each(['0.3', '1', '0'])('F24 is left alone for %s seconds when it asks for that', async (seconds) => {
    await through(0, 'GET', '', { query: JUNE });
    const headers = { 'retry-after': seconds };
    const body = { error: { code: 'ApplicationThrottled', message: 'Slow down.' } };
    await a.sandbox.microsoft.fault({ methodId: VIEW }, { type: 'status', status: 429, headers, body }, { times: 1 });
    const { status } = await through(0, 'GET', '', { query: JUNE });
    expect(status).toBe(200);
    const [rejected, answered] = (await a.sandbox.microsoft.requests({ methodId: VIEW })).slice(-2);
    expect([rejected?.status, answered?.status]).toEqual([429, 200]);
    expect(Date.parse(answered!.at) - Date.parse(rejected!.at)).toBeGreaterThanOrEqual(Number(seconds) * 1_000);
  });

  it.each([
    ['60', '60'],
    ['45.2', '46'],
    [undefined, expect.stringMatching(/^[1-9]\d*$/)],
    ['soon', expect.stringMatching(/^[1-9]\d*$/)],
    ['-5', expect.stringMatching(/^[1-9]\d*$/)],
  ])(
    'F24 that asks for more time than a caller has (Retry-After: %s) is told to the caller',
    async (hint, expected) => {
      const headers: Record<string, string> = hint === undefined ? {} : { 'retry-after': hint };
      await a.sandbox.microsoft.fault({ methodId: VIEW }, { type: 'status', status: 429, headers, body: {} });
      const response = await through(0, 'GET', '', { query: JUNE });
      expect([response.status, response.body.code, response.headers.get('retry-after')]).toEqual([
        429,
        'ProviderRateLimited',
        expected,
      ]);
      expect((await a.service.call('GET', `/v1/endUserAccounts/${a.accountId}`)).body.status).toBe('ACTIVE');
    },
  );
});
