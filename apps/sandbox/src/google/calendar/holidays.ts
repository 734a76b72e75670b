import { blankOwn } from './invitations.js';
import type { CalendarRecord, EventRecord } from './model.js';
import type { Store } from './store.js';

/** A calendar on every user's list, which accepts neither writes nor channels. */
export const HOLIDAYS_ID = 'en.uk#holiday@group.v.calendar.google.com';

const HOLIDAYS = [
  { month: '01', day: 1, summary: "New Year's Day" },
  { month: '12', day: 25, summary: 'Christmas Day' },
];

export function addHolidays(store: Store, nowMs: number): CalendarRecord {
  const calendar = store.addCalendar({
    id: HOLIDAYS_ID,
    kind: 'holidays',
    dataOwner: null,
    summary: 'Holidays in the United Kingdom',
    timeZone: 'Europe/London',
    updatedMs: nowMs,
  });
  calendar.acl.set('default', {
    id: 'default',
    scope: { type: 'default' },
    role: 'reader',
    revision: store.nextRevision(),
  });
  const year = new Date(nowMs).getUTCFullYear();
  for (const each of [year - 1, year, year + 1]) {
    for (const { month, day, summary } of HOLIDAYS) {
      const on = (dayOfMonth: number) =>
        ({ kind: 'date', date: `${each}-${month}-${String(dayOfMonth).padStart(2, '0')}` }) as const;
      store.putEvent(calendar, holiday(calendar, summary, on(day), on(day + 1), nowMs));
    }
  }
  return calendar;
}

function holiday(
  { id: calendarId, summary: title }: CalendarRecord,
  summary: string,
  start: EventRecord['start'] & { kind: 'date' },
  end: EventRecord['end'],
  nowMs: number,
): Omit<EventRecord, 'revision'> {
  const id = `${start.date.replaceAll('-', '')}hol`;
  const calendar = { email: calendarId, displayName: title };
  return {
    id,
    iCalUID: `${id}@google.com`,
    recurringEventId: null,
    originalStart: null,
    life: 'live',
    isRemovedByGuest: false,
    createdMs: nowMs,
    updatedMs: nowMs,
    sequence: 0,
    creator: calendar,
    organizer: calendar,
    start,
    end,
    recurrence: null,
    attendees: [],
    shared: {
      status: 'confirmed',
      summary,
      description: 'Public holiday',
      guestsCanInviteOthers: true,
      guestsCanModify: false,
      guestsCanSeeOtherGuests: true,
      anyoneCanAddSelf: false,
      attachments: [],
      properties: {},
      conference: null,
    },
    own: blankOwn({ transparency: 'transparent', visibility: 'public' }),
    former: [],
  };
}
