import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import type { Calendar, CalendarInput } from '#domain/calendars';
import type { ListCalendars, Page } from '#domain/providers';
import { DomainError } from '#domain/system';
import type { AccountAccess } from '../accounts/account-access.js';
import { SealedTokens, SealingKeys } from '../tokens/sealed-tokens.js';
import type { SyncRequests } from '../sync/sync-requests.js';
import { CalendarsService } from './calendars.service.js';

const APP = { applicationId: 'app' };
const signal = new AbortController().signal;
const CALENDAR = { id: 'c', name: 'Work' } as Calendar;

class OneKey extends SealingKeys {
  readonly key = randomBytes(32);
  override current() {
    return { kid: 'k', key: this.key };
  }
  override byId() {
    return this.key;
  }
}

function fixture() {
  const page: Page<Calendar> = { items: [CALENDAR], nextPage: null, nextSync: null };
  const written = { calendar: CALENDAR, ignoredFields: ['timeZone'] };
  const provider = {
    listCalendars: jest.fn(async (_session: unknown, _list: ListCalendars) => page),
    getCalendar: jest.fn(async () => CALENDAR),
    createCalendar: jest.fn(async (_session: unknown, _input: CalendarInput, _options: unknown) => written),
    updateCalendar: jest.fn(async (_session: unknown, _id: string, _input: CalendarInput) => written),
    deleteCalendar: jest.fn(async () => undefined),
  };
  const access = {
    getActive: jest.fn(async () => undefined),
    use: async (_application: unknown, id: string, _signal: unknown, work: (open: unknown) => Promise<unknown>) =>
      work({ provider, session: 'session', account: { id } }),
  };
  const syncRequests = { calendar: jest.fn(async () => undefined) };
  const service = new CalendarsService(
    access as unknown as AccountAccess,
    new SealedTokens(new OneKey()),
    syncRequests as unknown as SyncRequests,
  );
  return { service, provider, access, page, syncRequests };
}

const rejected = (path: string) => ({ code: 'ValidationFailed', details: [expect.objectContaining({ path })] });

describe('CalendarsService.list', () => {
  it('seals what the provider says about going on, and opens it again', async () => {
    const { service, provider, page } = fixture();
    page.nextPage = { after: 1 };
    const first = await service.list(APP, 'account', {}, signal);
    expect(first).toEqual({ data: [CALENDAR], nextPageToken: expect.any(String) });
    Object.assign(page, { nextPage: null, nextSync: { since: 2 } });
    const last = await service.list(APP, 'account', { pageToken: first.nextPageToken! }, signal);
    expect(last).toEqual({ data: [CALENDAR], nextSyncToken: expect.any(String) });
    page.nextSync = null;
    expect(await service.list(APP, 'account', { syncToken: last.nextSyncToken! }, signal)).toEqual({
      data: [CALENDAR],
    });
    expect(provider.listCalendars.mock.calls.map(([, list]) => list)).toEqual([
      { pageSize: 100, page: null, sync: null },
      { pageSize: 100, page: { after: 1 }, sync: null },
      { pageSize: 100, page: null, sync: { since: 2 } },
    ]);
  });

  it('N16 takes tokens of its own account, application and kind only', async () => {
    const { service, page, provider } = fixture();
    page.nextPage = { after: 1 };
    const { nextPageToken: pageToken } = await service.list(APP, 'account', {}, signal);
    provider.listCalendars.mockClear();
    for (const attempt of [
      service.list(APP, 'other', { pageToken: pageToken! }, signal),
      service.list({ applicationId: 'other' }, 'account', { pageToken: pageToken! }, signal),
      service.list(APP, 'account', { syncToken: pageToken! }, signal),
      service.list(APP, 'account', { pageToken: 'x' }, signal),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'PageTokenInvalid' });
    }
    expect(provider.listCalendars).not.toHaveBeenCalled();
  });

  it('has pages of 100, and of 250 at most', async () => {
    const { service, provider } = fixture();
    for (const pageSize of [undefined, 1, 250, 251]) await service.list(APP, 'account', { pageSize }, signal);
    expect(provider.listCalendars.mock.calls.map(([, { pageSize }]) => pageSize)).toEqual([100, 1, 250, 250]);
    await expect(service.list(APP, 'account', { pageSize: 0 }, signal)).rejects.toMatchObject(rejected('pageSize'));
  });
});

describe('CalendarsService writes', () => {
  it.each([
    ['#1a73e8', '#1A73E8'],
    ['1A73E8', '#1A73E8'],
    ['1a73e8', '#1A73E8'],
    ['000000', '#000000'],
    ['#abc', '#AABBCC'],
    ['#abcd', '#AABBCC'],
    ['#1a73e8ff', '#1A73E8'],
  ])('the colour %s is %s', async (hexColor, written) => {
    const { service, provider } = fixture();
    await service.create(APP, 'account', { name: 'x', hexColor }, {}, signal);
    expect(provider.createCalendar).toHaveBeenCalledWith('session', { name: 'x', hexColor: written }, {});
    await service.update(APP, 'account', 'c', { hexColor }, signal);
    expect(provider.updateCalendar).toHaveBeenCalledWith('session', 'c', { hexColor: written });
  });

  it.each([
    ...['', '#', 'red', 'bad', 'abcd', '12345', '#12345', '1234567', '#1234567', '1a73e8ff', '12345g', '#12345g'],
    ...['##1a73e8', '1a73e8#', '1a73e8 ', ' 1a73e8', '#1a73e8 ', '1a73e8\n', '0x1a73e8', 'url(#x)'],
  ])('refuses the colour %j, naming what it takes', async (hexColor) => {
    const { service, provider } = fixture();
    await expect(service.update(APP, 'account', 'c', { hexColor }, signal)).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [{ path: 'hexColor', message: expect.stringMatching(/ #1A73E8 .*\b1A73E8$/) }],
    });
    expect(provider.updateCalendar).not.toHaveBeenCalled();
  });

  it('creates with what is given, its zone by its IANA name, and says what is not held', async () => {
    const { service, provider } = fixture();
    const body = { name: 'Work', timeZone: 'W. Europe Standard Time', hexColor: null };
    expect(await service.create(APP, 'account', body, { idempotencyKey: 'k' }, signal)).toEqual({
      result: CALENDAR,
      ignoredFields: ['timeZone'],
    });
    expect(provider.createCalendar).toHaveBeenCalledWith(
      'session',
      { name: 'Work', timeZone: 'Europe/Berlin' },
      { idempotencyKey: 'k' },
    );
  });

  it('needs a name to create, and none to change', async () => {
    const { service, provider } = fixture();
    await expect(service.create(APP, 'account', {}, {}, signal)).rejects.toMatchObject(rejected('name'));
    await service.update(APP, 'account', 'c', {}, signal);
    expect(provider.updateCalendar).toHaveBeenCalledWith('session', 'c', {});
  });

  it.each([
    [{ name: null }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'x', timeZone: 'Mars/Olympus' }, 'timeZone'],
    [{ name: 'x', timeZone: '' }, 'timeZone'],
  ])('refuses %j naming %s', async (body, path) => {
    const { service, provider } = fixture();
    await expect(service.create(APP, 'account', body, {}, signal)).rejects.toMatchObject(rejected(path));
    await expect(service.update(APP, 'account', 'c', body, signal)).rejects.toMatchObject(rejected(path));
    expect(provider.createCalendar).not.toHaveBeenCalled();
    expect(provider.updateCalendar).not.toHaveBeenCalled();
  });

  it('judges the account before the body', async () => {
    const { service, access } = fixture();
    access.getActive.mockRejectedValue(new DomainError('NotFound', 'none'));
    await expect(service.create(APP, 'account', {}, {}, signal)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(service.update(APP, 'account', 'c', { name: null }, signal)).rejects.toMatchObject({
      code: 'NotFound',
    });
  });

  it('reads and deletes one', async () => {
    const { service, provider, syncRequests } = fixture();
    expect(await service.get(APP, 'account', 'c', signal)).toBe(CALENDAR);
    expect(await service.delete(APP, 'account', 'c', signal)).toEqual({ success: true });
    expect(provider.deleteCalendar).toHaveBeenCalledWith('session', 'c');
    expect(syncRequests.calendar.mock.calls).toEqual([[APP, 'account', 'c']]);
  });
});
