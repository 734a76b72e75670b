import { jest } from '@jest/globals';
import type { FreeBusyOutcome, FreeBusyRequest } from '#domain/providers';
import { DomainError } from '#domain/system';
import type { AccountAccess } from '../accounts/account-access.js';
import { FreeBusyService, type FreeBusyBody } from './free-busy.service.js';

const APP = { applicationId: 'app' };
const signal = new AbortController().signal;
const BODY: FreeBusyBody = {
  startDateTime: '2026-07-01T00:00:00Z',
  endDateTime: '2026-07-02T00:00:00Z',
  timeZone: 'Europe/Berlin',
  calendarIds: ['a', 'b'],
};

function fixture(outcomes: FreeBusyOutcome[] = []) {
  const freeBusy = jest.fn(async (_session: unknown, _request: FreeBusyRequest) => outcomes);
  const access = {
    getActive: jest.fn(async () => undefined),
    use: async (_application: unknown, _id: string, _signal: unknown, work: (open: unknown) => Promise<unknown>) =>
      work({ provider: { freeBusy }, session: 'session' }),
  };
  const service = new FreeBusyService(access as unknown as AccountAccess);
  const query = (more: Partial<FreeBusyBody> = {}) => service.query(APP, 'account', { ...BODY, ...more }, signal);
  return { query, freeBusy, access };
}

const slot = (start: string, end: string) => ({ startMs: Date.parse(start), endMs: Date.parse(end) });
const failed = (calendarId: string, error: DomainError): FreeBusyOutcome => ({ calendarId, error });
const rejected = (path: string) => ({ code: 'ValidationFailed', details: [expect.objectContaining({ path })] });

describe('FreeBusyService', () => {
  it('asks for the window in the zone, and shows the slots in it', async () => {
    const { query, freeBusy } = fixture([
      { calendarId: 'b', busySlots: [slot('2026-07-01T08:00:00Z', '2026-07-01T09:30:00Z')] },
      { calendarId: 'a', busySlots: [] },
    ]);
    expect(await query({ startDateTime: '2026-07-01', endDateTime: '2026-07-02T00:00:00+02:00' })).toEqual([
      {
        calendarId: 'b',
        busySlots: [
          {
            start: { dateTime: '2026-07-01T10:00:00+02:00', timeZone: 'Europe/Berlin' },
            end: { dateTime: '2026-07-01T11:30:00+02:00', timeZone: 'Europe/Berlin' },
          },
        ],
      },
      { calendarId: 'a', busySlots: [] },
    ]);
    expect(freeBusy).toHaveBeenCalledWith('session', {
      window: slot('2026-06-30T22:00:00Z', '2026-07-01T22:00:00Z'),
      timeZone: 'Europe/Berlin',
      calendarIds: ['a', 'b'],
    });
  });

  it('maps a Windows zone name', async () => {
    const { query, freeBusy } = fixture();
    await query({ timeZone: 'W. Europe Standard Time' });
    expect(freeBusy.mock.calls[0]![1].timeZone).toBe('Europe/Berlin');
  });

  it('fails as a whole with the first error, which names its calendar and keeps its facts', async () => {
    const provider = { status: 429, code: null, message: 'slow', retryable: true };
    const { query } = fixture([
      { calendarId: 'a', busySlots: [] },
      failed('b', new DomainError('ProviderRateLimited', 'slow down', { provider, retryAfterSeconds: 9 })),
    ]);
    await expect(query()).rejects.toMatchObject({
      code: 'ProviderRateLimited',
      message: 'Calendar b: slow down',
      provider,
      retryAfterSeconds: 9,
    });
    await expect(query({ allowPartial: false })).rejects.toMatchObject({ code: 'ProviderRateLimited' });
  });

  it('never shows what could not be read as free: with allowPartial it carries its error and no slots', async () => {
    const { query } = fixture([
      failed('a', new DomainError('NotFound', 'none')),
      { calendarId: 'b', busySlots: [slot('2026-07-01T08:00:00Z', '2026-07-01T09:00:00Z')] },
    ]);
    const [a, b] = await query({ allowPartial: true });
    expect(a).toEqual({ calendarId: 'a', error: { code: 'NotFound', message: 'Calendar a: none' } });
    expect(b!.busySlots).toHaveLength(1);
  });

  it('N54 refuses what costs too much before the provider is asked', async () => {
    const { query, freeBusy } = fixture();
    const calendars = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);
    const from = '2026-01-01T00:00:00Z';
    await expect(
      query({ calendarIds: calendars(1000), startDateTime: from, endDateTime: '2036-01-01T00:00:00Z' }),
    ).rejects.toMatchObject(rejected('calendarIds'));
    await expect(query({ calendarIds: calendars(101) })).rejects.toMatchObject(rejected('calendarIds'));
    await expect(query({ calendarIds: [] })).rejects.toMatchObject(rejected('calendarIds'));
    await expect(
      query({ calendarIds: calendars(100), startDateTime: from, endDateTime: '2027-01-03T00:00:00Z' }),
    ).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [
        {
          path: 'endDateTime',
          message: 'asks for 100 calendars over 367 days; calendars times days may be 36600 at the most',
        },
      ],
    });
    expect(freeBusy).not.toHaveBeenCalled();
    // A hundred calendars over a leap year, and one over many years, are fine.
    await query({ calendarIds: calendars(100), startDateTime: from, endDateTime: '2027-01-02T00:00:00Z' });
    await query({ calendarIds: ['a'], startDateTime: from, endDateTime: '2116-01-01T00:00:00Z' });
    expect(freeBusy).toHaveBeenCalledTimes(2);
  });

  it.each<[Partial<FreeBusyBody>, string]>([
    [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
    [{ timeZone: '' }, 'timeZone'],
    [{ startDateTime: 'x' }, 'startDateTime'],
    [{ endDateTime: BODY.startDateTime }, 'endDateTime'],
  ])('refuses %j naming %s', async (more, path) => {
    const { query, freeBusy } = fixture();
    await expect(query(more)).rejects.toMatchObject(rejected(path));
    expect(freeBusy).not.toHaveBeenCalled();
  });

  it('judges the account before the request', async () => {
    const { query, access } = fixture();
    access.getActive.mockRejectedValue(new DomainError('EndUserAccountExpired', 'expired'));
    await expect(query({ timeZone: 'Mars/Olympus' })).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
  });

  it('passes on what fails the whole account', async () => {
    const { query, freeBusy } = fixture();
    const error = new DomainError('RateLimited', 'slow');
    freeBusy.mockRejectedValue(error);
    await expect(query({ allowPartial: true })).rejects.toBe(error);
  });
});
