import { FakeCalDav, type FakeCalDavOptions } from './fake-caldav.js';
import type { Answer, CallOptions, Service } from './service.js';

/** An account at a fake server, with one calendar and one event in it, all ids as a caller knows them. */
export interface ConnectedAccount {
  fake: FakeCalDav;
  applicationId: string;
  key: string;
  accountId: string;
  calendarId: string;
  eventId: string;
  /** `path` below the account: `call('GET', 'events', `/${calendarId}`)`. */
  call<T = any>(method: string, resource: string, path?: string, options?: CallOptions): Promise<Answer<T>>;
}

/** Starts a fake server that {@link connectAccount} can be used with. `segment`: its calendar's. */
export async function startFakeServer(segment: string, options: FakeCalDavOptions = {}): Promise<FakeCalDav> {
  const fake = await FakeCalDav.start(options);
  fake.addCalendar(segment, segment).put('first.ics', calendarObject('first', 'First'));
  return fake;
}

/** Connects the fake's user through the API and finds the ids of its first calendar and event. */
export async function connectAccount(
  service: Service,
  fake: FakeCalDav,
  { applicationId, apiKey }: { applicationId: string; apiKey: string } = service,
): Promise<ConnectedAccount> {
  const { username, password } = fake.login;
  const connected = await service.call('POST', `/v1/basicAuth/connect/${applicationId}/caldav`, {
    key: apiKey,
    body: { serverUrl: fake.url, email: username, password },
  });
  if (connected.status !== 200) throw new Error(`cannot connect: ${JSON.stringify(connected.body)}`);
  const accountId = connected.body.id as string;
  const call: ConnectedAccount['call'] = (method, resource, path = '', options = {}) =>
    service.call(method, `/v1/${resource}/${accountId}${path}`, { key: apiKey, ...options });
  const calendarId = (await call('GET', 'calendars')).body.data[0].id as string;
  const eventId = (await call('GET', 'events', `/${calendarId}`)).body.data[0].id as string;
  return { fake, applicationId, key: apiKey, accountId, calendarId, eventId, call };
}

/** An hour on 10 January 2033, as another client would store it. `lines`: more of the event's properties. */
export function calendarObject(uid: string, summary: string, ...lines: string[]): string {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Example//Another Client//EN',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20260101T000000Z',
    'DTSTART:20330110T090000Z',
    'DTEND:20330110T100000Z',
    `SUMMARY:${summary}`,
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}
