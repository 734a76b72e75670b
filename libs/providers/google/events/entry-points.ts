import { invalid } from '#domain/system';
import { listOf, recordOf } from '#providers/kit/events';

export interface EntryPoint {
  entryPointType: string;
  uri: string;
  [name: string]: unknown;
}

const VIDEO = { pattern: /^https?:\/\/[^/?#]/i, wanted: 'an http or https address' };
const SCHEMES: Readonly<Record<string, { pattern: RegExp; wanted: string }>> = {
  video: VIDEO,
  phone: { pattern: /^tel:./i, wanted: 'a tel: address' },
  sip: { pattern: /^sip:./i, wanted: 'a sip: address' },
  more: VIDEO,
};
const MAX_URI = 1_300;
/** Maximum characters. Google sets `regionCode` itself. */
const TEXTS: Readonly<Record<string, number>> = {
  uri: MAX_URI,
  label: 512,
  accessCode: 128,
  meetingCode: 128,
  passcode: 128,
  password: 128,
  pin: 128,
};
/** All other types occur at most once per conference. */
const REPEATABLE = 'phone';
const MAX_ENTRY_POINTS = 50;
const AT = 'conferenceData.conferenceDetails.entryPoints';

/** Returns entry points of a caller with Google's writable fields. @throws DomainError ValidationFailed */
export function readEntryPoints(value: unknown): EntryPoint[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(AT, 'must be a list');
  if (value.length > MAX_ENTRY_POINTS) throw invalid(AT, `must not have more than ${MAX_ENTRY_POINTS} elements`);
  return value.map((item, index) => readEntryPoint(item, `${AT}[${index}]`));
}

/** Sets `joinUrl`, when given, as the video entry point. @throws DomainError ValidationFailed */
export function withVideo(listed: readonly EntryPoint[], joinUrl: string | undefined): EntryPoint[] {
  if (joinUrl === undefined) return [...listed];
  if (!VIDEO.pattern.test(joinUrl) || joinUrl.length > MAX_URI) {
    throw invalid('conferenceData.joinUrl', `must be ${VIDEO.wanted} of at most ${MAX_URI} characters`);
  }
  return [
    { entryPointType: 'video', uri: joinUrl },
    ...listed.filter(({ entryPointType }) => entryPointType !== 'video'),
  ];
}

/** @throws DomainError ValidationFailed */
export function checkEntryPoints(entryPoints: readonly EntryPoint[]): void {
  if (entryPoints.every(({ entryPointType }) => entryPointType === 'more')) {
    throw invalid('conferenceData', 'needs a joinUrl, or an entry point of the type video, phone or sip');
  }
  const types = entryPoints.map(({ entryPointType }) => entryPointType).filter((type) => type !== REPEATABLE);
  const twice = types.find((type, index) => types.indexOf(type) !== index);
  if (twice !== undefined) throw invalid(AT, `must not have more than one of the type ${twice}`);
}

function readEntryPoint(value: unknown, at: string): EntryPoint {
  const given = recordOf(value);
  const { entryPointType: type, entryPointFeatures } = given;
  if (typeof type !== 'string' || !Object.hasOwn(SCHEMES, type)) {
    throw invalid(`${at}.entryPointType`, `must be one of ${Object.keys(SCHEMES).join(', ')}`);
  }
  const { pattern, wanted } = SCHEMES[type]!;
  const texts = Object.entries(TEXTS).flatMap(([name, longest]) => {
    const text = given[name];
    if (text === undefined || text === null) return [];
    if (typeof text !== 'string' || text.length > longest) {
      throw invalid(`${at}.${name}`, `must be a text of at most ${longest} characters`);
    }
    return [[name, text] as const];
  });
  const { uri, ...others } = Object.fromEntries(texts);
  if (uri === undefined || !pattern.test(uri)) throw invalid(`${at}.uri`, `must be ${wanted}`);
  const features = listOf(entryPointFeatures).filter((feature) => typeof feature === 'string');
  return { entryPointType: type, uri, ...others, ...(features.length > 0 && { entryPointFeatures: features }) };
}
