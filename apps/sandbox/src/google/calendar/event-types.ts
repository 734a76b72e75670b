import type { GoogleUser } from '../contract.js';
import { wallOfDate } from './event-time.js';
import type { CalendarRecord, Pattern, WireEvent } from './model.js';
import { eventTypeRestriction, invalid } from './errors.js';

/** Properties object of each type. */
const TYPE_PROPERTIES = {
  outOfOffice: 'outOfOfficeProperties',
  focusTime: 'focusTimeProperties',
  workingLocation: 'workingLocationProperties',
  birthday: 'birthdayProperties',
} as const;

const EVENT_TYPES = ['default', 'fromGmail', ...Object.keys(TYPE_PROPERTIES)];
const DECLINE_MODES = ['declineNone', 'declineAllConflictingInvitations', 'declineOnlyNewConflictingInvitations'];
const CHAT_STATUSES = ['available', 'doNotDisturb'];
const DAY_MS = 86_400_000;

interface TypedEvent {
  draft: WireEvent;
  pattern: Pattern;
  hasConference: boolean;
  calendar: CalendarRecord;
  user: GoogleUser;
}

export function typePropertiesOf(draft: WireEvent): Partial<WireEvent> {
  const names = Object.values(TYPE_PROPERTIES);
  return Object.fromEntries(names.filter((name) => draft[name] != null).map((name) => [name, draft[name]]));
}

/**
 * Validates an event of its type (https://developers.google.com/workspace/calendar/api/guides/calendar-status).
 * @throws GoogleErrorResponse 400 `eventTypeRestriction`, `invalid`
 */
export function checkEventType(event: TypedEvent): void {
  const { draft } = event;
  const type = draft.eventType ?? 'default';
  if (!EVENT_TYPES.includes(type)) throw invalid('Invalid event type.');
  for (const [owner, name] of Object.entries(TYPE_PROPERTIES)) {
    if (draft[name] != null && owner !== type) {
      throw eventTypeRestriction(`An event of type '${type}' cannot have ${name}.`);
    }
  }
  switch (type) {
    case 'fromGmail':
      throw eventTypeRestriction("Events of type 'fromGmail' cannot be created.");
    case 'outOfOffice':
    case 'focusTime':
      requireStatusEvent(event, type);
      requireBusyBlock(event, type);
      return;
    case 'workingLocation':
      requireStatusEvent(event, type);
      requireWorkingLocation(event);
      return;
    case 'birthday':
      requireBirthday(event);
  }
}

function requireStatusEvent({ draft, calendar, user, hasConference }: TypedEvent, type: string): void {
  if (calendar.kind !== 'primary') throw eventTypeRestriction(`'${type}' is only possible on primary calendars.`);
  if (!user.workspace) throw eventTypeRestriction(`'${type}' is not available to this user.`);
  if ((draft.attendees ?? []).length > 0) throw eventTypeRestriction(`A '${type}' event cannot have attendees.`);
  if (hasConference) throw eventTypeRestriction(`A '${type}' event cannot have a conference.`);
}

function requireBusyBlock({ draft, pattern }: TypedEvent, type: 'outOfOffice' | 'focusTime'): void {
  const properties = type === 'outOfOffice' ? draft.outOfOfficeProperties : draft.focusTimeProperties;
  if (properties == null) throw eventTypeRestriction(`A '${type}' event needs ${TYPE_PROPERTIES[type]}.`);
  if (pattern.start.kind === 'date') throw eventTypeRestriction(`A '${type}' event cannot last all day.`);
  if (draft.transparency === 'transparent') throw eventTypeRestriction(`A '${type}' event must be opaque.`);
  requireOneOf(properties.autoDeclineMode, DECLINE_MODES, 'autoDeclineMode');
  requireOneOf(draft.focusTimeProperties?.chatStatus, CHAT_STATUSES, 'chatStatus');
}

function requireWorkingLocation({ draft, pattern }: TypedEvent): void {
  const properties = draft.workingLocationProperties;
  if (properties?.type == null)
    throw eventTypeRestriction("A 'workingLocation' event needs workingLocationProperties.");
  requireOneOf(properties.type, ['homeOffice', 'officeLocation', 'customLocation'], 'workingLocationProperties.type');
  if (draft.visibility !== 'public') throw eventTypeRestriction("A 'workingLocation' event must be public.");
  if (draft.transparency !== 'transparent')
    throw eventTypeRestriction("A 'workingLocation' event must be transparent.");
  if (pattern.start.kind === 'date' && daysOf(pattern) !== 1) {
    throw eventTypeRestriction("An all-day 'workingLocation' event lasts one day.");
  }
}

function requireBirthday({ draft, pattern, hasConference }: TypedEvent): void {
  const isYearly = pattern.recurrence?.length === 1 && /^RRULE:FREQ=YEARLY\b/i.test(pattern.recurrence[0]!);
  if (pattern.start.kind !== 'date' || daysOf(pattern) !== 1 || !isYearly) {
    throw eventTypeRestriction("A 'birthday' event lasts one day and comes back every year.");
  }
  if (hasConference || (draft.attendees ?? []).length > 0 || draft.location != null || draft.description != null) {
    throw eventTypeRestriction("A 'birthday' event has a title, a colour and reminders only.");
  }
  requireOneOf(draft.birthdayProperties?.type, ['birthday'], 'birthdayProperties.type');
}

function requireOneOf(value: string | null | undefined, values: readonly string[], name: string): void {
  if (value != null && !values.includes(value)) throw invalid(`Invalid value for: ${name}.`);
}

function daysOf({ start, end }: Pattern): number {
  return start.kind === 'date' && end.kind === 'date' ? (wallOfDate(end.date) - wallOfDate(start.date)) / DAY_MS : NaN;
}
