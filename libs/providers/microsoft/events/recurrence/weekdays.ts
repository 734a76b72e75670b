import type { DayOfWeek, WeekIndex } from '@microsoft/microsoft-graph-types';

/** Names of Graph, Monday first as in `WeekdayRule`. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly DayOfWeek[];

/** RFC 5545 names in the same order. */
export const RULE_WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

/** Which of the days in question, counted from the start of the month or, negative, from its end. */
export const WEEK_INDEXES: ReadonlyMap<number, WeekIndex> = new Map([
  [1, 'first'],
  [2, 'second'],
  [3, 'third'],
  [4, 'fourth'],
  [-1, 'last'],
]);
