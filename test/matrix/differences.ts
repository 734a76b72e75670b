import type { ConformanceSubject } from '../conformance/subject.js';

export type ProviderType = ConformanceSubject['providerType'];

/** What one kind of event is on providers that cannot hold it as it was written. */
export interface Difference {
  /** Name of the kind. */
  kind: string;
  providers: readonly ProviderType[];
  /** The row of docs/provider-differences.md that says why: its first cell, without markup. */
  row: string;
  /** What is answered to the write instead of 200; else what is read in the place of the kind's own fields. */
  refused?: { status: number; code: string };
  reads?: Record<string, unknown>;
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
];

export const DIFFERENCES: readonly Difference[] = [
  {
    kind: 'with a meeting',
    providers: ['APPLE', 'CALDAV'],
    row: 'conferenceData, webLink, generateMeetingUrlProvider',
    refused: { status: 400, code: 'NotSupportedByProvider' },
  },
  { kind: 'with colour and reminder', providers: ['GOOGLE'], row: 'customColor' },
  { kind: 'series with a cancelled instance', providers: ['GOOGLE'], row: 'Deleted instances of a series' },
];
