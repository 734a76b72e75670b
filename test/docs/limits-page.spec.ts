import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_SETTINGS } from '#providers';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs/guides/limits.md'), 'utf8');

/** Beginning of the row, the number in it, and the constant that it has to be. */
const LIMITS: [row: string, text: string, file: string, constant: string][] = [
  ['Sign-ins begun', '600', 'apps/api/src/auth/rate-limits.ts', 'SIGN_INS'],
  ['Pushes that are not genuine', '100', 'apps/api/src/provider-notifications/notification-receiver.ts', 'MAX_INVALID'],
  ['Body', '32', 'apps/api/src/http/json-body.ts', 'MAX_DEPTH'],
  ['Free/busy: calendars ', '100', 'libs/application/src/free-busy/free-busy.service.ts', 'MAX_CALENDARS'],
  ['Free/busy: calendars ', '100', 'apps/api/src/free-busy/free-busy.dto.ts', 'MAX_CALENDARS'],
  ['Free/busy: calendars times', '36,600', 'libs/application/src/free-busy/free-busy.service.ts', 'MAX_CALENDAR_DAYS'],
  ['Events on a page', '1,000', 'libs/application/src/events/event-query.ts', 'MAX_PAGE_SIZE'],
  ['Events on a page', '1,000', 'apps/api/src/events/event-query.dto.ts', 'MAX_PAGE_SIZE'],
  ['Calendars on a page', '250', 'apps/api/src/calendars/calendar.dto.ts', 'MAX_PAGE_SIZE'],
  ['Accounts, endpoints', '200', 'apps/api/src/validation/field-decorators.ts', 'MAX_LIMIT'],
  ['Accounts, endpoints', '200', 'apps/api/src/accounts/account-input.dto.ts', 'MAX_LIMIT'],
  ['Occurrences of one series', '5,000', 'libs/icalendar/src/recurrence/recurrence-set.ts', 'MAX_INSTANCES'],
  ['Occurrences of one series', '5,000', 'libs/icalendar/src/recurrence/busy.ts', 'MAX_INSTANCES'],
  [
    'Ordered list (APPLE, CALDAV): objects',
    '5,000',
    'libs/providers/caldav/operations/event-lists.ts',
    'MAX_ORDERED_RESOURCES',
  ],
  [
    'Ordered list (APPLE, CALDAV): events',
    '25,000',
    'libs/providers/caldav/operations/event-lists.ts',
    'MAX_ORDERED_EVENTS',
  ],
  ['Objects looked at', '5,000', 'libs/providers/caldav/operations/event-lists.ts', 'MAX_SCANNED'],
  ['Ordered list (GOOGLE', '25,000', 'libs/providers/kit/sync/pages.ts', 'MAX_WALK'],
  ['Window that is asked of Graph', '1,825', 'libs/providers/microsoft/events/instances.ts', 'MAX_VIEW_DAYS'],
  ['`metadataFilters`', '10', 'libs/application/src/events/event-query.ts', 'MAX_METADATA_KEYS'],
  ['Attendees', '2,000', 'apps/api/src/events/event-input.dto.ts', 'MAX_ATTENDEES'],
  ['Attendees', '500', 'libs/providers/microsoft/events/attendees.ts', 'MAX_ATTENDEES'],
  ['Lines of `recurrence`', '100', 'apps/api/src/events/event-input.dto.ts', 'MAX_RECURRENCE_LINES'],
  ['Reminders', '20', 'apps/api/src/events/event-parts.dto.ts', 'MAX_REMINDERS'],
  ['Reminders', '5', 'libs/providers/google/events/reminders.ts', 'MAX_OVERRIDES'],
  ['Reminder after the start', '40,320', 'apps/api/src/events/event-parts.dto.ts', 'MAX_MINUTES_AFTER'],
  ['Extended properties', '100', 'libs/application/src/events/event-input.ts', 'MAX_PROPERTIES'],
  ['Extended properties', '4,096', 'libs/application/src/events/event-input.ts', 'MAX_PROPERTY_VALUE'],
  ['Rules of one series', '100', 'libs/icalendar/src/recurrence/series.ts', 'MAX_RULES'],
  ['Work of expanding', '25,000', 'libs/icalendar/src/work.ts', 'MAX_RECURRENCE_STEPS'],
  ['Work of reading', '10,000', 'libs/icalendar/src/work.ts', 'MAX_ZONE_STEPS'],
  ['JSON answer', '700,000', 'libs/providers/kit/calls/http.ts', 'MAX_VALUES'],
  ['Webhook endpoints', '100', 'libs/application/src/webhooks/webhook-endpoints.ts', 'MAX_ENDPOINTS'],
  [
    'Subscriptions of one calendar',
    '100',
    'libs/application/src/subscriptions/subscription-creator.ts',
    'MAX_SUBSCRIPTIONS',
  ],
];

describe('N54 the page of limits', () => {
  it.each(LIMITS)('%s: %s, as %s has it in %s', (row, text, file, constant) => {
    const line = page.split('\n').find((candidate) => candidate.startsWith(`| ${row}`));
    expect(line?.split(/[^\d,]+/).map((part) => part.replace(/,$/, ''))).toContain(text);
    const value = new RegExp(`const ${constant} = ([\\d_]+)`).exec(readFileSync(join(ROOT, file), 'utf8'))?.[1];
    expect(Number(value?.replaceAll('_', ''))).toBe(Number(text.replaceAll(',', '')));
  });

  it('names settings that there are', () => {
    const settings = ALL_SETTINGS.map(({ env }) => env);
    for (const [, name] of page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)) expect(settings).toContain(name);
  });
});
