import type { FakeCalendar, FakeObject } from './store.js';
import type { FakeResponse, FakeSwitches, RecordedRequest } from './switches.js';
import { errorBody, multistatus } from './xml.js';

/** The ETag of an object as its switch has it; null: none is shown. */
export function shownTag({ etag }: FakeObject, etags: FakeSwitches['etags']): string | null {
  return { strong: etag, weak: `W/${etag}`, euro: etag.replace('"', '"€'), none: null }[etags];
}

function tagHeaders(object: FakeObject, switches: FakeSwitches, etags: FakeSwitches['etags']): Record<string, string> {
  const tag = shownTag(object, etags);
  return {
    ...(tag !== null && etags !== 'euro' && { etag: tag }),
    ...(switches.scheduleTags ? { 'schedule-tag': object.scheduleTag } : {}),
  };
}

export function getObject(calendar: FakeCalendar, name: string, switches: FakeSwitches): FakeResponse {
  const object = calendar.objects.get(name);
  if (object === undefined) return { status: 404 };
  return {
    status: 200,
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'last-modified': object.lastModified.toUTCString(),
      ...tagHeaders(object, switches, switches.etags),
    },
    body: object.body,
  };
}

/** RFC 9110 §13.1, RFC 6638 §8.2. Weak tags never match in If-Match (strong comparison). */
function isPreconditionMet(object: FakeObject | undefined, headers: Record<string, string>): boolean {
  if (headers['if-none-match'] === '*' && object !== undefined) return false;
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined && (object === undefined || (ifMatch !== '*' && ifMatch !== object.etag))) return false;
  const scheduleTag = headers['if-schedule-tag-match'];
  return scheduleTag === undefined || object?.scheduleTag === scheduleTag;
}

/** The scripted failure of a write, when one is due. */
export function writeFailure(switches: FakeSwitches, href: string): FakeResponse | null {
  const failure = switches.writeFailure;
  if (failure === null || switches.writeFailures <= 0) return null;
  switches.writeFailures -= 1;
  const body = failure.precondition === undefined ? undefined : errorBody(failure.precondition);
  if (failure.multistatus === true) {
    return { status: 207, body: multistatus([{ href, status: failure.status }], switches.xmlStyle) };
  }
  return { status: failure.status, ...(body === undefined ? {} : { body }) };
}

export function putObject(
  calendar: FakeCalendar,
  name: string,
  request: RecordedRequest,
  switches: FakeSwitches,
): FakeResponse {
  const existing = calendar.objects.get(name);
  if (!isPreconditionMet(existing, request.headers)) return { status: 412 };
  if (!request.body.includes('BEGIN:VCALENDAR')) {
    return { status: 403, body: errorBody('{urn:ietf:params:xml:ns:caldav}valid-calendar-data') };
  }
  const isRenamed = existing === undefined && switches.renameOnPut !== 'no';
  const storedName = isRenamed ? `renamed-${calendar.revision}.ics` : name;
  const object = calendar.put(storedName, switches.rewrite?.(request.body) ?? request.body);
  return {
    status: existing === undefined ? 201 : 204,
    headers: {
      ...tagHeaders(object, switches, switches.putEtag),
      ...(isRenamed && switches.renameOnPut === 'location' ? { location: calendar.path + storedName } : {}),
    },
  };
}

export function deleteObject(calendar: FakeCalendar, name: string, request: RecordedRequest): FakeResponse {
  const existing = calendar.objects.get(name);
  if (existing === undefined) return { status: 404 };
  if (!isPreconditionMet(existing, request.headers)) return { status: 412 };
  calendar.remove(name);
  return { status: 204 };
}
