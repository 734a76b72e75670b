import { listEntry, toCalendar, type CalendarListEntry } from './calendar-entry.js';

const EMAIL = 'Mara.Field@example.com';
const entry = (fields: object): CalendarListEntry => listEntry({ id: 'c_1@group.calendar.google.com', ...fields });

describe('toCalendar (google)', () => {
  it('maps the primary calendar', () => {
    expect(
      toCalendar(
        entry({
          id: 'mara.field@example.com',
          summary: 'mara.field@example.com',
          timeZone: 'Europe/Lisbon',
          backgroundColor: '#9fe1e7',
          accessRole: 'owner',
          primary: true,
          conferenceProperties: { allowedConferenceSolutionTypes: ['eventHangout', 'hangoutsMeet'] },
        }),
        EMAIL,
      ),
    ).toEqual({
      id: 'mara.field@example.com',
      name: 'mara.field@example.com',
      hexColor: '#9FE1E7',
      readOnly: false,
      isPrimary: true,
      isShared: false,
      timeZone: 'Europe/Lisbon',
      inviteEmail: 'mara.field@example.com',
      allowedOnlineMeetingProviders: ['eventHangout', 'hangoutsMeet'],
      defaultOnlineMeetingProvider: 'hangoutsMeet',
    });
  });

  it("shows the account's own name for a calendar before everybody's", () => {
    expect(toCalendar(entry({ summary: 'Boat rota', summaryOverride: 'Boat' }), EMAIL).name).toBe('Boat');
    expect(toCalendar(entry({ summary: 'Boat rota', summaryOverride: '' }), EMAIL).name).toBe('Boat rota');
  });

  it('omits what is not so', () => {
    const calendar = toCalendar(entry({ primary: false }), EMAIL);
    expect(calendar).not.toHaveProperty('isPrimary');
    expect(calendar).not.toHaveProperty('defaultOnlineMeetingProvider');
    expect(toCalendar(entry({ id: 'no-address' }), EMAIL).inviteEmail).toBe('');
  });

  it('names the first kind of meeting where there is no Meet', () => {
    const conferenceProperties = { allowedConferenceSolutionTypes: ['addOn', 7, 'eventHangout'] };
    expect(toCalendar(entry({ conferenceProperties }), EMAIL)).toMatchObject({
      allowedOnlineMeetingProviders: ['addOn', 'eventHangout'],
      defaultOnlineMeetingProvider: 'addOn',
    });
  });

  it.each([
    ['owner', false],
    ['writer', false],
    ['writerWithoutPrivateAccess', false],
    ['reader', true],
    ['freeBusyReader', true],
  ])('calls the role %s read-only: %s', (accessRole, readOnly) => {
    expect(toCalendar(entry({ accessRole }), EMAIL).readOnly).toBe(readOnly);
  });

  it.each([
    [{ primary: true, dataOwner: 'other@example.com' }, false],
    [{ accessRole: 'owner', dataOwner: 'other@example.com' }, true],
    [{ accessRole: 'owner', dataOwner: 'mara.field@EXAMPLE.com' }, false],
    [{ accessRole: 'owner' }, false],
    [{ accessRole: 'writer' }, true],
  ])('tells whose %j is: shared %s', (fields, isShared) => {
    expect(toCalendar(entry(fields), EMAIL).isShared).toBe(isShared);
  });

  it('N51 is total over fields of wrong types', () => {
    const hostile = { summary: 7, timeZone: [], backgroundColor: 'red', conferenceProperties: 'x', accessRole: {} };
    expect(toCalendar(entry(hostile), EMAIL)).toMatchObject({
      name: '',
      timeZone: 'UTC',
      hexColor: expect.stringMatching(/^#[0-9A-F]{6}$/),
      allowedOnlineMeetingProviders: [],
    });
  });

  it('gives a calendar without a colour always the same one', () => {
    expect(toCalendar(entry({}), EMAIL).hexColor).toBe(toCalendar(entry({}), EMAIL).hexColor);
  });

  it.each([null, undefined, 7, 'x', {}, { id: 7 }, { id: '' }])('N51 refuses %j in the place of an entry', (value) => {
    expect(() => listEntry(value)).toThrow(expect.objectContaining({ code: 'ProviderUnavailable' }));
  });
});
