import { createHash } from 'node:crypto';
import type { calendar_v3 } from '@googleapis/calendar';
import { DomainError, type EventInput } from '#domain';
import { isSameJson, recordOf, settledMeeting, textsOf, type Pause } from '#event-rules';
import { GoogleFault } from '../contract.js';
import { readConference } from './event-mapper.js';
import type { GoogleEvent } from './google-event.js';
import { fetchEvent, type OpenCalendar } from './open-calendar.js';

/** Pauses before the event is looked at again, milliseconds: most links are there at once, some take seconds. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 3_000, 3_000];

/** What a write says about the meeting of an event. */
export interface ConferenceChange {
  body: Pick<calendar_v3.Schema$Event, 'conferenceData'>;
  ignoredFields: string[];
}

/**
 * Only Google can make conference data: a meeting is asked for by its provider, what a caller writes of one is not
 * applied.
 * @param writeId the same for every try of one write: with the same request id Google makes one meeting
 * @throws DomainError NotSupportedByProvider
 */
export function changedConference(
  { generateMeetingUrlProvider, conferenceData }: EventInput,
  current: GoogleEvent | null,
  calendar: OpenCalendar,
  writeId: string,
): ConferenceChange {
  const shown = current === null ? undefined : readConference(current.raw);
  const isIgnored = conferenceData != null && !isSameJson(conferenceData, shown);
  const ignoredFields = isIgnored ? ['conferenceData'] : [];
  if (generateMeetingUrlProvider != null) {
    checkAllowed(generateMeetingUrlProvider, calendar);
    const isThere = shown?.conferenceType === generateMeetingUrlProvider && shown.joinUrl !== undefined;
    return {
      body: isThere ? {} : { conferenceData: meetingRequest(generateMeetingUrlProvider, writeId) },
      ignoredFields,
    };
  }
  // Null takes a field out; the types of the client do not know that.
  const cleared = conferenceData === null && shown !== undefined;
  return { body: cleared ? { conferenceData: null as never } : {}, ignoredFields };
}

/** Asks for a meeting of its own. */
export function meetingRequest(type: string, writeId: string): calendar_v3.Schema$ConferenceData {
  const requestId = createHash('sha256').update(writeId).digest('hex').slice(0, 32);
  return { createRequest: { requestId, conferenceSolutionKey: { type } } };
}

/** Waits for meetings that Google is still making. */
export class PendingMeetings {
  constructor(private readonly pause?: Pause) {}

  async settled(calendar: OpenCalendar, event: GoogleEvent): Promise<GoogleEvent> {
    return settledMeeting(event, {
      pausesMs: PAUSES_MS,
      signal: calendar.connection.session.signal,
      isPending,
      read: ({ id }) => fetchEvent(calendar, id),
      isRefusal: (error) => error instanceof GoogleFault,
      pause: this.pause,
    });
  }
}

/** Entry points are missing while it is pending and when it has failed; only the status tells one from the other. */
function isPending({ raw }: GoogleEvent): boolean {
  const { createRequest } = recordOf(raw.conferenceData);
  return recordOf(recordOf(createRequest)['status'])['statusCode'] === 'pending';
}

function checkAllowed(type: string, { entry }: OpenCalendar): void {
  const allowed = textsOf(recordOf(entry.conferenceProperties)['allowedConferenceSolutionTypes']);
  if (allowed.includes(type)) return;
  const choice = allowed.length === 0 ? 'This calendar makes no online meetings.' : `It makes ${allowed.join(', ')}.`;
  throw new DomainError(
    'NotSupportedByProvider',
    `generateMeetingUrlProvider: this calendar cannot make a meeting of "${type.slice(0, 64)}". ${choice}`,
  );
}
