import type { EventInput } from '#domain/events';
import { changedAttendees } from './attendees.js';
import { changedColor } from './event-colors.js';
import { newEventType } from './create-event.js';
import { checkSameType } from './event-body.js';
import { propertiesPatch } from './extended-properties.js';
import { readGoogleEvent } from './google-event.js';
import { changedReminders } from './reminders.js';

const TIMES = { start: { dateTime: '2026-12-01T09:00:00Z' }, end: { dateTime: '2026-12-01T10:00:00Z' } };
const google = (raw: object) => readGoogleEvent({ id: 'event1', ...TIMES, ...raw }, 'UTC')!;
const invalidAt = (path: string) =>
  expect.objectContaining({ code: 'ValidationFailed', details: [expect.objectContaining({ path })] });

describe('propertiesPatch', () => {
  it('leaves exactly the wanted keys, which a PATCH would merge', () => {
    const input = { publicExtendedProperties: { a: '9', c: '3' } };
    expect(propertiesPatch('publicExtendedProperties', input, { a: '1', b: '2' })).toEqual({ a: '9', b: null, c: '3' });
    expect(propertiesPatch('publicExtendedProperties', { publicExtendedProperties: null }, { a: '1' })).toEqual({
      a: null,
    });
    expect(propertiesPatch('publicExtendedProperties', {}, { a: '1' })).toBeNull();
    expect(
      propertiesPatch('publicExtendedProperties', { publicExtendedProperties: { a: '1' } }, { a: '1' }),
    ).toBeNull();
    const named = { publicExtendedProperties: { valueOf: '1', a: '1' } };
    expect(propertiesPatch('publicExtendedProperties', named, { a: '1' })).toEqual({ valueOf: '1' });
  });

  it('refuses what Google would drop or cut without a word, naming it', () => {
    const long = 'k'.repeat(45);
    const patch = (properties: Record<string, string>) => () =>
      propertiesPatch('privateExtendedProperties', { privateExtendedProperties: properties }, {});
    expect(patch({ [long]: 'x' })).toThrow(invalidAt(`privateExtendedProperties.${long}`));
    expect(patch({ key: 'v'.repeat(1_025) })).toThrow(invalidAt('privateExtendedProperties.key'));
    expect(patch({ 'ucal.color': '#000000 1' })).toThrow(invalidAt('privateExtendedProperties.ucal.color'));
    expect(patch({ ['k'.repeat(44)]: 'v'.repeat(1_024) })).not.toThrow();
  });
});

describe('changedColor', () => {
  const palette = async () =>
    new Map([
      ['1', '#a4bdfc'],
      ['9', '#5484ed'],
      ['11', '#dc2127'],
    ]);
  const unused = async () => {
    throw new Error('the palette is not needed');
  };

  it.each<[string, EventInput, { colorId?: string; customColor?: string }, unknown]>([
    ['rounds', { customColor: '#5484EE' }, {}, { colorId: '9', exact: '#5484ee 9' }],
    [
      'rounds again though the old id comes back with it',
      { customColor: '#dc2128', colorId: '9' },
      { colorId: '9', customColor: '#5484ee' },
      { colorId: '11', exact: '#dc2128 11' },
    ],
  ])('%s', async (_name, input, current, change) => {
    expect(await changedColor(input, current, palette)).toEqual(change);
  });

  it.each<[string, EventInput, { colorId?: string; customColor?: string }, unknown]>([
    ['says nothing', {}, { colorId: '9' }, null],
    [
      'takes what comes back as it was for no change',
      { colorId: '9', customColor: '#5484ee' },
      { colorId: '9', customColor: '#5484ee' },
      null,
    ],
    ['takes the palette', { colorId: '4' }, { colorId: '9', customColor: '#5484ee' }, { colorId: '4', exact: null }],
    [
      'takes the new palette id before the old exact colour',
      { colorId: '4', customColor: '#5484ee' },
      { colorId: '9', customColor: '#5484ee' },
      { colorId: '4', exact: null },
    ],
    [
      'keeps both when both are new',
      { colorId: '4', customColor: '#112233' },
      {},
      { colorId: '4', exact: '#112233 4' },
    ],
    ['goes back to the calendar’s colour', { colorId: null }, { colorId: '9' }, { colorId: null, exact: null }],
    [
      'takes the rounded colour away with the exact one',
      { customColor: null },
      { colorId: '9', customColor: '#5484ee' },
      { colorId: null, exact: null },
    ],
    ['leaves a palette colour when there was no exact one', { customColor: null }, { colorId: '9' }, null],
  ])('%s', async (_name, input, current, change) => {
    expect(await changedColor(input, current, unused)).toEqual(change);
  });

  it.each<[EventInput, string]>([
    [{ colorId: '0' }, 'colorId'],
    [{ colorId: '12' }, 'colorId'],
    [{ customColor: 'red' }, 'customColor'],
    [{ customColor: '#fff' }, 'customColor'],
  ])('refuses %j', async (input, path) => {
    await expect(changedColor(input, {}, unused)).rejects.toEqual(invalidAt(path));
  });
});

describe('changedReminders', () => {
  it.each([
    [undefined, undefined],
    [null, { useDefault: true, overrides: null }],
    [
      { useDefault: true, isReminderOn: true },
      { useDefault: true, overrides: null },
    ],
    [
      { useDefault: true, isReminderOn: false },
      { useDefault: false, overrides: [] },
    ],
    [{ useDefault: false }, { useDefault: false, overrides: [] }],
    [
      { useDefault: false, isReminderOn: true },
      { useDefault: true, overrides: null },
    ],
    [
      { useDefault: false, overrides: [{ method: 'email', minutes: 40_320 }] },
      { useDefault: false, overrides: [{ method: 'email', minutes: 40_320 }] },
    ],
  ])('says %j as %j', (reminders, body) => {
    expect(changedReminders(reminders, null)).toEqual(body);
  });

  it.each([
    [{ useDefault: true, isReminderOn: true }, undefined],
    [null, { useDefault: true }],
    [{ useDefault: false, isReminderOn: false, overrides: [] }, { useDefault: false }],
    [
      { useDefault: false, isReminderOn: true },
      { useDefault: false, overrides: [{ method: 'popup', minutes: 9 }] },
    ],
    [
      { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup', minutes: 5 }] },
      { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
    ],
  ])('says nothing when %j is what an event with %j has', (reminders, present) => {
    expect(changedReminders(reminders, google({ reminders: present }))).toBeUndefined();
    expect(
      changedReminders(
        { useDefault: false, overrides: [{ method: 'email', minutes: 5 }] },
        google({ reminders: present }),
      ),
    ).toBeDefined();
  });

  it.each([
    [{ useDefault: true, overrides: [{ method: 'popup', minutes: 1 }] }, 'reminders.overrides'],
    [
      { useDefault: false, overrides: Array.from({ length: 6 }, () => ({ method: 'popup', minutes: 1 })) },
      'reminders.overrides',
    ],
    [{ useDefault: false, overrides: [{ method: 'sms', minutes: 1 }] }, 'reminders.overrides.0.method'],
    [{ useDefault: false, overrides: [{ method: 'popup', minutes: -1 }] }, 'reminders.overrides.0.minutes'],
    [{ useDefault: false, overrides: [{ method: 'popup', minutes: 40_321 }] }, 'reminders.overrides.0.minutes'],
    [{ useDefault: false, overrides: [{ method: 'popup', minutes: 1.5 }] }, 'reminders.overrides.0.minutes'],
  ])('refuses %j', (reminders, path) => {
    expect(() => changedReminders(reminders, null)).toThrow(invalidAt(path));
  });
});

describe('newEventType', () => {
  const input = (more: object) => ({ title: 'Away', start: { kind: 'date' as const, date: '2026-01-01' }, ...more });
  const timed = { kind: 'dateTime' as const };

  it('says nothing of an ordinary event, and what a status event needs', () => {
    expect(newEventType(input({}), timed, false)).toEqual({});
    expect(newEventType(input({ eventType: null }), timed, false)).toEqual({});
    const made = newEventType(input({ eventType: 'focusTime' }), timed, true);
    expect(made).toEqual({ eventType: 'focusTime', transparency: 'opaque', focusTimeProperties: {} });
    expect(newEventType(input({ eventType: 'outOfOffice' }), timed, true)).toHaveProperty('outOfOfficeProperties', {});
  });

  it.each([
    ['eventType', {}, timed, false],
    ['isAllDay', {}, { kind: 'date' as const }, true],
    ['transparency', { transparency: 'transparent' }, timed, true],
    ['attendees', { attendees: [{ email: 'a@x' }] }, timed, true],
    ['generateMeetingUrlProvider', { generateMeetingUrlProvider: 'hangoutsMeet' }, timed, true],
  ])('names %s before Google refuses all of it with one word', (path, more, start, isPrimary) => {
    expect(() => newEventType(input({ eventType: 'outOfOffice', ...more }) as any, start, isPrimary)).toThrow(
      invalidAt(path),
    );
  });

  it('takes back the type that an event has, and no other one', () => {
    expect(() => checkSameType({ eventType: 'focusTime' }, google({ eventType: 'focusTime' }))).not.toThrow();
    expect(() => checkSameType({ eventType: 'default' }, google({ eventType: 'birthday' }))).not.toThrow();
    expect(() => checkSameType({ eventType: 'focusTime' }, google({}))).toThrow(invalidAt('eventType'));
  });
});

describe('changedAttendees', () => {
  const own = new Set(['me@x']);
  const me = { email: 'me@x', self: true, organizer: true, responseStatus: 'accepted' };
  const ravi = {
    email: 'Ravi@x',
    displayName: 'Ravi',
    optional: true,
    comment: 'late',
    responseStatus: 'tentative',
    id: 'r',
  };
  const current = google({ attendees: [me, ravi] });

  it('sends those who stay with all that is known of them, and nothing that only Google writes', () => {
    const { body, ignoredFields } = changedAttendees(
      { attendees: [{ email: 'ravi@X' }, { email: 'new@x', name: 'New' }] },
      current,
      own,
    );
    expect(body).toEqual({
      attendees: [
        { email: 'me@x', responseStatus: 'accepted' },
        { email: 'Ravi@x', displayName: 'Ravi', optional: true, comment: 'late', responseStatus: 'tentative' },
        { email: 'new@x', displayName: 'New' },
      ],
    });
    expect(ignoredFields).toEqual([]);
  });

  it('says nothing when the list stays what it is, in whatever order', () => {
    const attendees = [{ email: 'ravi@x' }, { email: 'ME@x' }, { email: 'ravi@x' }];
    expect(changedAttendees({ attendees }, current, own).body).toEqual({});
    expect(changedAttendees({ attendees: [] }, null, own).body).toEqual({});
  });

  it('clears the list, the organizer included', () => {
    expect(changedAttendees({ attendees: null }, current, own).body).toEqual({ attendees: [] });
  });

  it('answers for oneself only', () => {
    const asked = {
      attendees: [
        { email: 'me@x', responseStatus: 'declined' as const },
        { email: 'ravi@x', responseStatus: 'accepted' as const },
      ],
    };
    const { body, ignoredFields } = changedAttendees(asked, current, own);
    expect(body.attendees?.map(({ responseStatus }) => responseStatus)).toEqual(['declined', 'tentative']);
    expect(ignoredFields).toEqual(['attendees.responseStatus']);
  });

  it('answers without touching the list when only the own answer is given', () => {
    const answered = changedAttendees({ myResponseStatus: 'declined' }, current, own);
    expect(answered.body).toEqual({
      attendeesOmitted: true,
      attendees: [{ email: 'me@x', responseStatus: 'declined' }],
    });
    expect(changedAttendees({ myResponseStatus: 'accepted' }, current, own).body).toEqual({});
    expect(changedAttendees({ myResponseStatus: 'declined' }, google({}), own).ignoredFields).toEqual([
      'myResponseStatus',
    ]);
    expect(changedAttendees({ myResponseStatus: 'accepted' }, google({}), own).ignoredFields).toEqual([]);
  });

  it('takes the answer of who organises, on the list or not, beside a list without them', () => {
    const organizer = { email: 'me@x', self: true, organizer: true, responseStatus: 'accepted' };
    const organized = google({ attendees: [organizer, { email: 'ravi@x', responseStatus: 'tentative' }] });
    const attendees = [{ email: 'ravi@x' }, { email: 'new@x' }];
    const { body, ignoredFields } = changedAttendees({ attendees, myResponseStatus: 'declined' }, organized, own);
    expect(body.attendees?.[0]).toEqual({ email: 'me@x', responseStatus: 'declined' });
    expect(ignoredFields).toEqual([]);
    const unlisted = (myResponseStatus: 'accepted' | 'declined') =>
      changedAttendees({ attendees, myResponseStatus }, google({}), own).ignoredFields;
    expect(unlisted('accepted')).toEqual([]);
    expect(unlisted('declined')).toEqual(['myResponseStatus']);
  });

  it('takes who writes down themselves for one who comes', () => {
    const { body } = changedAttendees({ attendees: [{ email: 'me@x' }, { email: 'you@x' }] }, null, own);
    expect(body.attendees).toEqual([{ email: 'me@x', responseStatus: 'accepted' }, { email: 'you@x' }]);
  });

  it.each(['', 'nobody', 'a@b@c', 'a b@x', 'a@x>', `${'a'.repeat(320)}@x`, 'a@x\r\nB', '\ud800@x'])(
    'refuses the address %j',
    (email) => {
      expect(() => changedAttendees({ attendees: [{ email: 'good@x' }, { email }] }, null, own)).toThrow(
        invalidAt('attendees.1.email'),
      );
    },
  );

  it('refuses more guests than any event may have', () => {
    const attendees = Array.from({ length: 2_001 }, (_, at) => ({ email: `g${at}@x` }));
    expect(() => changedAttendees({ attendees }, null, own)).toThrow(invalidAt('attendees'));
  });
});
