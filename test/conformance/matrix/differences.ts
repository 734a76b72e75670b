import type { ConformanceSubject } from '../subject.js';

export type ProviderType = ConformanceSubject['providerType'];

/** What one kind of event is on providers that cannot hold it as it was written. */
export interface Difference {
  /** Name of the kind. */
  kind: string;
  providers: readonly ProviderType[];
  /**
   * The row of docs/guides/provider-differences.md that says why: its first cell, without markup. It stands in the table
   * of all providers, or in the section of this one.
   */
  row: string;
  /** What is answered to the write instead of 200. */
  refused?: { status: number; code: string };
  /** It is taken out of the calendar: reading it is answered 404. */
  gone?: true;
  /** What `x-ignored-fields` names. */
  ignored?: readonly string[];
  /** What is read in the place of the kind's own fields; all others are as on the other providers. */
  reads?: Record<string, unknown>;
  /** The same of what its change is answered with. */
  thenReads?: Record<string, unknown>;
  /** Starts of the instances in the place of the kind's own. */
  occurs?: readonly string[];
}

/** A field that a provider has its own of, whatever the kind. */
export interface FieldDifference {
  fields: readonly string[];
  providers: readonly ProviderType[];
  row: string;
  /** Also of events with other people. */
  withGuests: boolean;
}

export const FIELD_DIFFERENCES: readonly FieldDifference[] = [
  {
    fields: ['organizer', 'myResponseStatus'],
    providers: ['APPLE', 'CALDAV'],
    row: 'organizer, myResponseStatus of events without guests',
    withGuests: false,
  },
  {
    fields: ['organizer', 'myResponseStatus'],
    providers: ['ICS'],
    row: 'organizer, myResponseStatus',
    withGuests: true,
  },
  { fields: ['reminders'], providers: ['MICROSOFT'], row: 'reminders', withGuests: true },
];

export const DIFFERENCES: readonly Difference[] = [
  {
    kind: 'with a meeting',
    providers: ['APPLE', 'CALDAV', 'ICS'],
    row: 'conferenceData, webLink, generateMeetingUrlProvider',
    refused: { status: 400, code: 'NotSupportedByProvider' },
  },
  {
    kind: 'with colour and reminder',
    providers: ['GOOGLE'],
    row: 'customColor',
    reads: { colorId: expect.stringMatching(/^\d+$/) },
  },
  {
    kind: 'series with a cancelled instance',
    providers: ['GOOGLE'],
    row: 'Deleted instances of a series',
    reads: { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] },
  },
  {
    kind: 'with guests who are said to have answered',
    providers: ['APPLE', 'CALDAV', 'MICROSOFT'],
    row: 'Answers of other attendees',
    ignored: ['attendees.responseStatus'],
    reads: { guests: ['a', 'd', 'n', 't'].map((name) => [`${name}@example.test`, 'needsAction']) },
  },
  {
    kind: 'with guests who are said to have answered',
    providers: ['ICS'],
    row: 'Answers of other attendees',
    reads: { guests: ['a', 'd', 'n', 't'].map((name) => [`${name}@example.test`, 'needsAction']) },
  },
  {
    kind: 'with properties',
    providers: ['ICS'],
    row: 'privateExtendedProperties',
    reads: {
      publicExtendedProperties: { customer: '4711', 'a key': 'größer = "besser"', secret: 'ours' },
      privateExtendedProperties: {},
    },
  },
  {
    kind: 'series with properties of its own on an instance',
    providers: ['ICS'],
    row: 'privateExtendedProperties',
    reads: { publicExtendedProperties: { customer: '4711', secret: 'ours' }, privateExtendedProperties: {} },
    thenReads: { publicExtendedProperties: { customer: '4712', note: 'of one day' }, privateExtendedProperties: {} },
  },
  {
    kind: 'series FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3',
    providers: ['MICROSOFT'],
    row: 'recurrence',
    refused: { status: 400, code: 'NotSupportedByProvider' },
  },
  {
    kind: 'series with an extra date',
    providers: ['MICROSOFT'],
    row: 'recurrence',
    refused: { status: 400, code: 'NotSupportedByProvider' },
  },
  {
    kind: 'series FREQ=WEEKLY;BYDAY=WE;COUNT=3',
    providers: ['MICROSOFT'],
    row: 'Start of a series',
    reads: {
      start: { dateTime: '2035-03-07T09:00:00+01:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2035-03-07T09:45:00+01:00', timeZone: 'Europe/Berlin' },
    },
    occurs: ['2035-03-07T09:00:00+01:00', '2035-03-14T09:00:00+01:00', '2035-03-21T09:00:00+01:00'],
  },
  {
    kind: 'series FREQ=WEEKLY;BYDAY=MO;COUNT=3 that is moved by a day',
    providers: ['MICROSOFT'],
    row: 'Start of a series',
    reads: {
      start: { dateTime: '2035-03-12T09:00:00+01:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2035-03-12T09:45:00+01:00', timeZone: 'Europe/Berlin' },
    },
    occurs: ['2035-03-12T09:00:00+01:00', '2035-03-19T09:00:00+01:00', '2035-03-26T09:00:00+02:00'],
  },
  {
    kind: 'with a reminder by mail',
    providers: ['MICROSOFT'],
    row: 'reminders',
    ignored: ['reminders.overrides'],
    reads: { reminders: { isReminderOn: true, useDefault: false, overrides: [{ method: 'popup', minutes: 60 }] } },
  },
  {
    kind: 'in the hour that comes twice, the second time',
    providers: ['APPLE', 'CALDAV', 'ICS'],
    row: 'Times that a clock shows twice',
    reads: {
      start: { dateTime: '2035-10-28T01:30:00Z', timeZone: 'UTC' },
      end: { dateTime: '2035-10-28T01:45:00Z', timeZone: 'UTC' },
    },
  },
  {
    kind: 'series that starts in the hour that summer time leaves out',
    providers: ['GOOGLE', 'MICROSOFT'],
    row: 'Times that summer time leaves out',
    occurs: ['2035-03-25T03:30:00+02:00', '2035-03-26T03:30:00+02:00', '2035-03-27T03:30:00+02:00'],
  },
  {
    kind: 'series with an instance in the hour that summer time leaves out',
    providers: ['MICROSOFT'],
    row: 'Times that summer time leaves out',
    occurs: ['2035-03-24T02:30:00+01:00', '2035-03-25T03:30:00+02:00', '2035-03-26T02:30:00+02:00'],
  },
  {
    kind: 'public',
    providers: ['MICROSOFT'],
    row: 'visibility',
    ignored: ['visibility'],
    reads: { visibility: 'default' },
  },
  {
    kind: 'with a description of markup',
    providers: ['MICROSOFT'],
    row: 'description',
    reads: { description: 'Bring your laptop & badge\nRoom 4' },
  },
  { kind: 'invitation declined', providers: ['MICROSOFT'], row: 'Declined invitations', gone: true },
];
