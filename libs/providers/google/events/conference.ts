import { createHash } from 'node:crypto';
import type { calendar_v3 } from '@googleapis/calendar';
import type { ConferenceData, EventInput } from '#domain/events';
import { DomainError, invalid } from '#domain/system';
import {
  assertConferenceType,
  includesJson,
  listOf,
  recordOf,
  awaitConference,
  textOf,
  textsOf,
} from '#providers/kit/events';
import { checkEntryPoints, readEntryPoints, withVideo } from './entry-points.js';
import type { GoogleEventChange } from './event-body.js';
import { isConferencePending, pendingConference, readConference } from './event-mapper.js';
import type { GoogleEvent } from './google-event.js';
import { fetchEvent, type GoogleCalendarHandle } from './open-calendar.js';

type GoogleConference = calendar_v3.Schema$ConferenceData;

/** Pauses before each read of the event: most links exist at once, some take seconds. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 3_000, 3_000];
/** Types that only Google creates: `hangoutsMeet`, and the deprecated `eventHangout` and `eventNamedHangout`. */
const OWN_TYPES: ReadonlySet<string> = new Set(['hangoutsMeet', 'eventHangout', 'eventNamedHangout']);
/** Conferences of third parties (discovery document, ConferenceSolutionKey). */
const THIRD_PARTY = 'addOn';
/** Conference fields that only Google writes. */
const SERVER_SIDE: ReadonlySet<string> = new Set(['createRequest', 'signature']);

/**
 * Requests a meeting of Google, or writes the conference of a third party as given.
 * @param writeId equal for all tries of one write, so that Google creates one meeting
 * @throws DomainError ValidationFailed, NotSupportedByProvider
 */
export function changedConference(
  input: EventInput,
  current: GoogleEvent | null,
  calendar: GoogleCalendarHandle,
  writeId: string,
): GoogleEventChange {
  const { conferenceData } = input;
  const shown = current === null ? undefined : readConference(current.raw);
  const written = conferenceData == null || includesJson(shown, conferenceData) ? undefined : conferenceData;
  const requested = written === undefined ? undefined : requestedType(written);
  const type = input.generateMeetingUrlProvider ?? requested;
  if (type != null) {
    if (written !== undefined && requested !== type) {
      throw invalid('conferenceData', 'cannot be given together with generateMeetingUrlProvider');
    }
    const isMade = shown?.conferenceType === type && shown.joinUrl !== undefined;
    const isBeingMade = current !== null && pendingConference(current.raw) === type;
    if (isMade || isBeingMade || isRequestOf(current, written)) return { body: {}, ignoredFields: [] };
    assertConferenceType(
      type,
      textsOf(recordOf(calendar.entry.conferenceProperties)['allowedConferenceSolutionTypes']),
    );
    return { body: { conferenceData: conferenceRequest(type, writeId) }, ignoredFields: [] };
  }
  if (written !== undefined) return thirdPartyConference(written, current);
  // The client's types do not know that null removes a field.
  const cleared = conferenceData === null && shown !== undefined;
  return { body: cleared ? { conferenceData: null as never } : {}, ignoredFields: [] };
}

function conferenceRequest(type: string, writeId: string): GoogleConference {
  const requestId = createHash('sha256').update(writeId).digest('hex').slice(0, 32);
  return { createRequest: { requestId, conferenceSolutionKey: { type } } };
}

/** A new event requests a new Meet, because the old link opens the old meeting. Google no longer creates Hangouts. */
export function copiedConference({ raw }: GoogleEvent, writeId: string): GoogleConference | undefined {
  const type = readConference(raw)?.conferenceType;
  if (type === 'hangoutsMeet') return conferenceRequest(type, writeId);
  if (type === undefined || OWN_TYPES.has(type)) return undefined;
  const { entryPoints, conferenceSolution, conferenceId, notes, parameters } = raw.conferenceData ?? {};
  return Object.fromEntries(
    Object.entries({ entryPoints, conferenceSolution, conferenceId, notes, parameters }).filter(([, value]) => value),
  );
}

function requestedType({ joinUrl, conferenceDetails = {} }: ConferenceData): string | undefined {
  if (joinUrl !== undefined || listOf(conferenceDetails['entryPoints']).length > 0) return undefined;
  const { conferenceSolutionKey } = recordOf(conferenceDetails['createRequest']);
  return textOf(recordOf(conferenceSolutionKey)['type']);
}

function isRequestOf(current: GoogleEvent | null, written: ConferenceData | undefined): boolean {
  const before = textOf(recordOf(recordOf(current?.raw.conferenceData)['createRequest'])['requestId']);
  return before !== undefined && before === recordOf(written?.conferenceDetails?.['createRequest'])['requestId'];
}

/** Requires a solution and at least one entry point (discovery document). */
function thirdPartyConference(written: ConferenceData, current: GoogleEvent | null): GoogleEventChange {
  const { conferenceDetails: details = {} } = written;
  const solution = recordOf(details['conferenceSolution']);
  const type = written.conferenceType ?? textOf(recordOf(solution['key'])['type']) ?? THIRD_PARTY;
  if (OWN_TYPES.has(type)) {
    throw new DomainError(
      'NotSupportedByProvider',
      `conferenceData: Google makes meetings of "${type}" itself. Ask for one with generateMeetingUrlProvider.`,
    );
  }
  const shown = current === null ? undefined : readConference(current.raw);
  const listed = readEntryPoints(details['entryPoints']);
  const isOtherUrl = written.joinUrl !== undefined && written.joinUrl !== shown?.joinUrl;
  const isListed = listed.some(({ entryPointType, uri }) => entryPointType === 'video' && uri === written.joinUrl);
  const isReplaced = !isListed && (isOtherUrl || listed.length === 0);
  const entryPoints = isReplaced ? withVideo(listed, written.joinUrl) : listed;
  checkEntryPoints(entryPoints);
  const host = entryPoints.map(({ uri }) => (URL.canParse(uri) ? new URL(uri).hostname : '')).find(Boolean);
  const name = textOf(solution['name']) ?? (type === THIRD_PARTY ? (host ?? 'Conference') : type);
  const iconUri = textOf(solution['iconUri']);
  const isOtherId = written.conferenceId !== undefined && written.conferenceId !== shown?.conferenceId;
  const conferenceId = isOtherId ? written.conferenceId : (textOf(details['conferenceId']) ?? written.conferenceId);
  const notes = textOf(details['notes']);
  const parameters = readParameters(details['parameters']);
  for (const [field, text = '', longest] of [
    ['conferenceId', conferenceId, 256],
    ['conferenceDetails.notes', notes, 2_048],
    ['conferenceDetails.conferenceSolution.name', name, 256],
  ] as const) {
    if (text.length > longest) throw invalid(`conferenceData.${field}`, `must have at most ${longest} characters`);
  }
  const after: Record<string, unknown> = {
    entryPoints,
    conferenceSolution: { key: { type: THIRD_PARTY }, name, iconUri: iconUri ?? null },
    conferenceId: conferenceId ?? null,
    notes: notes ?? null,
    parameters: parameters ?? null,
  };
  // A PATCH merges, so fields of the earlier conference must be null.
  const dropped = Object.keys(current?.raw.conferenceData ?? {}).filter((key) => !Object.hasOwn(after, key));
  const conferenceData = { ...after, ...Object.fromEntries(dropped.map((key) => [key, null])) };
  const isKnown = (key: string) => Object.hasOwn(after, key) || SERVER_SIDE.has(key);
  const ignoredFields = [
    ...(type === THIRD_PARTY ? [] : ['conferenceData.conferenceType']),
    ...(Object.keys(details).every(isKnown) ? [] : ['conferenceData.conferenceDetails']),
  ];
  return { body: { conferenceData }, ignoredFields };
}

function readParameters(value: unknown): GoogleConference['parameters'] | undefined {
  const { addOnParameters } = recordOf(value);
  const { parameters } = recordOf(addOnParameters);
  const texts = Object.entries(recordOf(parameters)).filter(([, text]) => typeof text === 'string');
  return texts.length === 0
    ? undefined
    : { addOnParameters: { parameters: Object.fromEntries(texts) as Record<string, string> } };
}

export function settled(calendar: GoogleCalendarHandle, event: GoogleEvent): Promise<GoogleEvent> {
  return awaitConference(event, {
    pausesMs: PAUSES_MS,
    connection: calendar.connection,
    isPending: ({ raw }) => isConferencePending(raw),
    read: ({ id }) => fetchEvent(calendar, id),
  });
}
