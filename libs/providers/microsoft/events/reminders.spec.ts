import type { EventReminders } from '#domain/events';
import { changedReminders } from './reminders.js';

const OFF = { useDefault: false, isReminderOn: false, overrides: [] };
const FIVE = [{ method: 'popup' as const, minutes: 5 }];
const reminding = { isReminderOn: true, reminderMinutesBeforeStart: 15 };
const silent = { isReminderOn: false, reminderMinutesBeforeStart: 15 };

describe('changedReminders', () => {
  it.each<[string, EventReminders]>([
    ['beside the default', { ...OFF, useDefault: true }],
    ['beside overrides', { ...OFF, overrides: FIVE }],
    ['alone', OFF],
  ])('turns the reminder off that is said to be off, %s', (_name, reminders) => {
    expect(changedReminders(reminders, null)).toEqual({ body: { isReminderOn: false }, ignoredFields: [] });
    expect(changedReminders(reminders, reminding)).toEqual({ body: { isReminderOn: false }, ignoredFields: [] });
    expect(changedReminders(reminders, silent)).toEqual({ body: {}, ignoredFields: [] });
  });

  it('turns the reminder on that is said to be on, when Outlook has it', () => {
    const on = { useDefault: false, isReminderOn: true, overrides: [] };
    expect(changedReminders(on, null)).toEqual({ body: { isReminderOn: true }, ignoredFields: [] });
    expect(changedReminders(on, silent)).toEqual({ body: { isReminderOn: true }, ignoredFields: [] });
    expect(changedReminders(on, reminding)).toEqual({ body: {}, ignoredFields: [] });
  });

  it('takes no overrides and nothing said for none', () => {
    const none = { useDefault: false, overrides: [] };
    expect(changedReminders(none, null).body).toEqual({ isReminderOn: false });
    expect(changedReminders(null, reminding).body).toEqual({ isReminderOn: false });
    expect(changedReminders(null, null).body).toEqual({});
  });

  it('leaves the default to new events, and names it of others', () => {
    expect(changedReminders({ useDefault: true, overrides: [] }, null)).toEqual({ body: {}, ignoredFields: [] });
    expect(changedReminders({ useDefault: true, overrides: [] }, silent)).toEqual({
      body: {},
      ignoredFields: ['reminders'],
    });
  });
});
