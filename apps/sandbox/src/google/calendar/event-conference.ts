import type { calendar_v3 } from '@googleapis/calendar';
import { mergePatch } from './merge-patch.js';
import type { Conference } from './model.js';
import { invalid, required } from './errors.js';

/** Allowed in every calendar of this sandbox. */
export const ALLOWED_CONFERENCES = ['hangoutsMeet'];

/** Type of third-party conferences, which cannot be requested from Google. */
const THIRD_PARTY = 'addOn';
/** URI schemes of entry points (discovery document, EntryPoint). */
const SCHEMES: Readonly<Record<string, RegExp>> = {
  video: /^https?:/i,
  phone: /^tel:/i,
  sip: /^sip:/i,
  more: /^https?:/i,
};
const MAX_URI = 1_300;
const MAX_LABEL = 512;
const MAX_CODE = 128;

/** Result of new conference requests. */
export interface ConferenceBehaviour {
  pendingMs: number;
  fail: boolean;
}

export interface ConferenceWrite {
  /** `conferenceData` of the body. */
  written: calendar_v3.Schema$ConferenceData | null | undefined;
  /** `patch` keeps absent fields. */
  mode: 'patch' | 'replace';
  current: Conference | null;
  nowMs: number;
  behaviour: ConferenceBehaviour;
  meetingCode: () => string;
}

/** Applies a write with `conferenceDataVersion=1`. @throws GoogleErrorResponse 400 */
export function writeConference(write: ConferenceWrite): Conference | null {
  const { written, mode, current } = write;
  if (written === undefined) return mode === 'patch' ? current : null;
  if (written === null) return null;
  const request = written.createRequest;
  if (request != null && (written.entryPoints ?? null) === null) return requestConference(write, request);
  const data = (mode === 'patch' ? mergePatch(current?.data, written) : mergePatch({}, written)) as Conference['data'];
  const type = data.conferenceSolution?.key?.type;
  if (type !== THIRD_PARTY) requireAllowed(type);
  if (!isConference(data.entryPoints ?? [])) throw invalid('Invalid conference data.');
  return { data, pendingUntilMs: null };
}

/** Decides a conference request that is due. */
export function settleConference(conference: Conference, nowMs: number, fails: boolean, code: string): Conference {
  const { data, pendingUntilMs } = conference;
  if (pendingUntilMs === null || pendingUntilMs > nowMs) return conference;
  const createRequest = { ...data.createRequest, status: { statusCode: fails ? 'failure' : 'success' } };
  if (fails) return { data: { createRequest }, pendingUntilMs: null };
  const uri = `https://meet.google.com/${code}`;
  return {
    data: {
      createRequest,
      entryPoints: [{ entryPointType: 'video', uri, label: `meet.google.com/${code}` }],
      conferenceSolution: {
        key: { type: 'hangoutsMeet' },
        name: 'Google Meet',
        iconUri:
          'https://fonts.gstatic.com/s/i/productlogos/meet_2020q4/v6/web-512dp/logo_meet_2020q4_color_2x_web_512dp.png',
      },
      conferenceId: code,
    },
    pendingUntilMs: null,
  };
}

export function hangoutLinkOf(conference: Conference | null): string | undefined {
  if (conference?.data.conferenceSolution?.key?.type !== 'hangoutsMeet') return undefined;
  return conference.data.entryPoints?.find(({ entryPointType }) => entryPointType === 'video')?.uri ?? undefined;
}

function requestConference(
  { current, nowMs, behaviour, meetingCode }: ConferenceWrite,
  { requestId, conferenceSolutionKey }: calendar_v3.Schema$CreateConferenceRequest,
): Conference | null {
  if (requestId == null || requestId === '') throw required('Missing conference request id.');
  requireAllowed(conferenceSolutionKey?.type);
  if (current?.data.createRequest?.requestId === requestId) return current;
  const pending: Conference = {
    data: {
      createRequest: {
        requestId,
        conferenceSolutionKey: { ...conferenceSolutionKey },
        status: { statusCode: 'pending' },
      },
    },
    pendingUntilMs: nowMs + behaviour.pendingMs,
  };
  return settleConference(pending, nowMs, behaviour.fail, meetingCode());
}

/** Requires at most one video, sip and more entry, any number of phones, and more than instructions alone. */
function isConference(entryPoints: readonly calendar_v3.Schema$EntryPoint[]): boolean {
  const types = entryPoints.map(({ entryPointType }) => entryPointType ?? '');
  const single = types.filter((type) => type !== 'phone');
  return (
    types.some((type) => type !== 'more') &&
    new Set(single).size === single.length &&
    entryPoints.every(({ entryPointType, uri, label, accessCode, meetingCode, passcode, password, pin }) => {
      const codes = [accessCode, meetingCode, passcode, password, pin];
      return (
        SCHEMES[entryPointType ?? '']?.test(uri ?? '') === true &&
        (uri ?? '').length <= MAX_URI &&
        (label ?? '').length <= MAX_LABEL &&
        codes.every((code) => (code ?? '').length <= MAX_CODE)
      );
    })
  );
}

function requireAllowed(type: string | null | undefined): void {
  if (type == null || !ALLOWED_CONFERENCES.includes(type)) throw invalid('Invalid conference type value.');
}
