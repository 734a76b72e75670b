import { inspect } from 'node:util';
import type { OAuthCredentials } from '#domain/accounts';
import type { AccountSession, CalendarProvider } from '#domain/providers';
import type { DomainError } from '#domain/system';
import type { FaultAction } from '../../../../apps/sandbox/src/faults/fault.js';
import { IDA, startSandboxedAdapter, type SandboxedAdapter } from './sandboxed-adapter.js';

const ALL = { pageSize: 100, page: null, sync: null };
const GRAPH = { methodId: 'get_me_calendar' } as const;

describe('Graph that fails', () => {
  let fixture: SandboxedAdapter;
  let provider: CalendarProvider;
  let ida: AccountSession;

  beforeAll(async () => {
    fixture = await startSandboxedAdapter();
  });
  afterAll(() => fixture?.stop());
  beforeEach(async () => {
    provider = fixture.provider();
    ida = await fixture.session(IDA);
    await fixture.sandbox.microsoft.clearRequests();
  });
  afterEach(async () => {
    await fixture.sandbox.microsoft.clearFaults();
    expect(await fixture.sandbox.microsoft.violations()).toEqual([]);
  });

  const asked = async () => (await fixture.sandbox.microsoft.requests(GRAPH)).length;
  const failureOf = (work: Promise<unknown>): Promise<DomainError> =>
    work.then(
      () => Promise.reject(new Error('nothing failed')),
      (error: DomainError) => error,
    );

  it.each<[string, FaultAction]>([
    ['503 without JSON', { type: 'status', status: 503, body: 'busy' }],
    ["a proxy's page", { type: 'html' }],
    ['garbage', { type: 'garbage' }],
    ['half of an answer', { type: 'truncate' }],
    ['a reset', { type: 'reset' }],
  ])('F25 is asked again after %s, and leaves no secret behind when that does not help', async (_, action) => {
    await fixture.sandbox.microsoft.fault(GRAPH, action, { times: 1 });
    expect(await provider.getCalendar(ida, 'primary')).toMatchObject({ isPrimary: true });
    expect(await asked()).toBe(2);
    await fixture.sandbox.microsoft.fault(GRAPH, action);
    const error = await failureOf(fixture.provider().getCalendar(ida, 'primary'));
    expect(error.code).toBe('ProviderUnavailable');
    expect(await asked()).toBe(5);
    const { accessToken, refreshToken } = ida.credentials as OAuthCredentials;
    const shown = inspect(error, { depth: 20, showHidden: true });
    for (const secret of [accessToken, refreshToken]) expect(shown).not.toContain(secret);
  });

  it('F24 is left alone as long as it asks for', async () => {
    const headers = { 'retry-after': '30' };
    await fixture.sandbox.microsoft.fault(GRAPH, { type: 'status', status: 429, headers }, {});
    expect(await failureOf(provider.getCalendar(ida, 'primary'))).toMatchObject({
      code: 'ProviderRateLimited',
      retryAfterSeconds: 30,
    });
    expect(await asked()).toBe(1);
  });

  it('T7 refuses tokens that have expired, and ends there', async () => {
    await fixture.sandbox.microsoft.expireAccessTokens(IDA);
    expect((await failureOf(provider.getCalendar(ida, 'primary'))).code).toBe('CredentialsRejected');
    expect(await asked()).toBe(1);
  });

  it('tells an account without the permission so', async () => {
    const blind = await fixture.session(IDA, { scopes: ['openid', 'profile', 'User.Read'] });
    expect(await failureOf(provider.listCalendars(blind, ALL))).toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('see the calendars'),
    });
    await fixture.sandbox.microsoft.clearViolations();
  });

  it('reads the busy time of many calendars, never more than three at once', async () => {
    const calendarIds: string[] = [];
    for (let number = 0; number < 8; number += 1) {
      const { calendar } = await provider.createCalendar(ida, { name: `Room ${number}`, timeZone: 'Asia/Tokyo' }, {});
      calendarIds.push(calendar.id);
      await provider.createEvent(ida, calendar.id, { title: 'Day', start: { kind: 'date', date: '2027-03-10' } }, {});
    }
    const window = { startMs: Date.UTC(2027, 2, 1), endMs: Date.UTC(2027, 3, 1) };
    const outcomes = await provider.freeBusy(ida, { window, timeZone: 'UTC', calendarIds: [...calendarIds, 'none'] });
    const slot = { startMs: Date.UTC(2027, 2, 9, 15), endMs: Date.UTC(2027, 2, 10, 15) };
    expect(outcomes).toEqual([
      ...calendarIds.map((calendarId) => ({ calendarId, busySlots: [slot] })),
      { calendarId: 'none', error: expect.objectContaining({ code: 'NotFound' }) },
    ]);
    expect(fixture.slots.most).toBe(3);
  });
});
