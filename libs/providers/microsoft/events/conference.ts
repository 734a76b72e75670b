import type { OnlineMeetingProviderType } from '@microsoft/microsoft-graph-types';
import type { ConferenceData, EventInput } from '#domain/events';
import { DomainError } from '#domain/system';
import { assertConferenceType, includesJson, awaitConference, textsOf } from '#providers/kit/events';
import type { OutlookEventChange } from './event-body.js';
import { readConference } from './event-mapper.js';
import { fetchEvent, type OutlookCalendarHandle } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';

/** Pauses before each further read of the event. */
const PAUSES_MS = [500, 1_500];

type ConferenceChange = Pick<OutlookEventChange, 'body' | 'ignoredFields'>;

/**
 * Graph would silently ignore a meeting that the calendar cannot have. A meeting cannot be removed.
 * @throws DomainError NotSupportedByProvider
 */
export function changedConference(
  { generateMeetingUrlProvider, conferenceData }: EventInput,
  current: OutlookEvent | null,
  { calendar }: OutlookCalendarHandle,
): ConferenceChange {
  const shown = current === null ? undefined : readConference(current.raw);
  checkConference(conferenceData, shown);
  // An existing or pending meeting is not requested again.
  if (generateMeetingUrlProvider == null || shown?.conferenceType === generateMeetingUrlProvider) {
    return { body: {}, ignoredFields: [] };
  }
  assertConferenceType(generateMeetingUrlProvider, textsOf(calendar.allowedOnlineMeetingProviders));
  if (shown !== undefined) return { body: {}, ignoredFields: ['generateMeetingUrlProvider'] };
  return {
    body: {
      isOnlineMeeting: true,
      onlineMeetingProvider: generateMeetingUrlProvider as OnlineMeetingProviderType,
    },
    ignoredFields: [],
  };
}

/** Outlook creates its own meetings, accepts no others, and removes none. */
function checkConference(conferenceData: EventInput['conferenceData'], shown: ConferenceData | undefined): void {
  const isSame =
    conferenceData == null
      ? conferenceData === undefined || shown === undefined
      : shown !== undefined && includesJson(shown, conferenceData);
  if (isSame) return;
  throw new DomainError(
    'NotSupportedByProvider',
    'conferenceData: a meeting of Outlook cannot be written or taken away. Ask for one with generateMeetingUrlProvider.',
  );
}

export function settled(calendar: OutlookCalendarHandle, event: OutlookEvent): Promise<OutlookEvent> {
  return awaitConference(event, {
    pausesMs: PAUSES_MS,
    connection: calendar.connection,
    isPending: ({ raw }) => raw.isOnlineMeeting === true && readConference(raw)?.joinUrl === undefined,
    read: ({ graphId }) => fetchEvent(calendar, graphId),
  });
}
