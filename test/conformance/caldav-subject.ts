import { randomUUID } from 'node:crypto';
import { basicAuthorization, type CalDavServer } from '../support/caldav-server.js';
import { startRadicale } from '../support/radicale.js';
import { startSabre } from '../support/sabre.js';
import { joinService, startService, type Service } from '../support/service.js';
import { startXandikos } from '../support/xandikos.js';
import type { ConformanceSubject, Elsewhere } from './subject.js';

const SERVERS = { radicale: startRadicale, sabre: startSabre, xandikos: startXandikos };

/** A real CalDAV server and the service allowed to reach it, as one provider of the family. */
export async function startCalDavSubject(
  serverName: keyof typeof SERVERS,
  providerType: 'CALDAV' | 'APPLE',
): Promise<{ service: Service; subject: ConformanceSubject; serverUrl: string; stop(): Promise<void> }> {
  const { subject, serverUrl, settings, stop } = await openCalDavSubject(serverName, providerType);
  const service = await (providerType === 'CALDAV' ? joinService() : startService(settings));
  return {
    service,
    subject,
    serverUrl,
    async stop() {
      await service.stop();
      await stop();
    },
  };
}

/** The server alone. `settings`: what a service needs to reach it. */
export async function openCalDavSubject(
  serverName: keyof typeof SERVERS,
  providerType: 'CALDAV' | 'APPLE',
): Promise<{
  subject: ConformanceSubject;
  serverUrl: string;
  settings: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}> {
  // An app-specific password as Apple makes them: blanks would not survive there.
  const server = await SERVERS[serverName]({ username: 'alice@example.test', password: 'abcd-efgh-ijkl-mnop' });
  const credentials = { email: server.username, ...(providerType === 'CALDAV' && { serverUrl: server.url }) };
  const connect = (to: Service, password: string) =>
    to.call('POST', `/v1/basicAuth/connect/${to.applicationId}/${providerType.toLowerCase()}`, {
      body: { ...credentials, password },
    });
  return {
    serverUrl: server.url,
    settings: providerType === 'CALDAV' ? { EGRESS_ALLOW: server.authority } : { APPLE_CALDAV_URL: server.url },
    subject: {
      name: `${providerType} on ${serverName}`,
      providerType,
      connect: (to) => connect(to, server.password),
      connectWrongly: (to) => connect(to, 'wrong'),
      elsewhere: otherClient(server),
      push: null,
      differs: {
        givesIsPrimaryFalse: true,
        holdsZeroLength: true,
        syncsEveryRead: true,
        versionsPrivateProperties: false,
        skipsShortMonths: true,
        idsWithoutUnderscore: true,
        keepsDeclined: true,
        holdsManyRules: true,
        holdsConferences: false,
      },
    },
    stop: () => server.stop(),
  };
}

/** Another CalDAV client of the same user, which knows the objects by their paths. */
function otherClient(server: CalDavServer): Elsewhere {
  const pathOf = (id: string) => Buffer.from(id.replaceAll('~', '_'), 'base64url').toString('utf8');
  const urlOf = (calendarId: string, name: string) =>
    new URL(pathOf(calendarId) + encodeURIComponent(name), server.url);
  const send = async (method: string, url: URL, body?: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: basicAuthorization(server),
        'content-type': 'text/calendar; charset=utf-8',
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${url.pathname}: ${response.status} ${text}`);
    return text;
  };
  /** An event as another client stores it. @returns its UID */
  const add = async (calendarId: string, ...properties: string[]) => {
    const uid = randomUUID();
    const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//Another Client//EN', 'BEGIN:VEVENT'];
    const lines = [...head, `UID:${uid}`, 'DTSTAMP:20260101T000000Z', ...properties, 'END:VEVENT', 'END:VCALENDAR', ''];
    await send('PUT', urlOf(calendarId, `${uid}.ics`), lines.join('\r\n'), { 'if-none-match': '*' });
    return uid;
  };
  return {
    invite: (calendarId, { title, startUtc, endUtc }) =>
      add(
        calendarId,
        `DTSTART:${startUtc.replaceAll(/[-:]/g, '')}`,
        `DTEND:${endUtc.replaceAll(/[-:]/g, '')}`,
        `SUMMARY:${title}`,
        'ORGANIZER;CN=Olga:mailto:olga@example.test',
        'ATTENDEE;PARTSTAT=ACCEPTED;CN=Olga:mailto:olga@example.test',
        `ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=Alice:MAILTO:${server.username}`,
      ),
    strange(calendarId, title) {
      const alarm = (trigger: string) => [
        'BEGIN:VALARM',
        'ACTION:DISPLAY',
        `TRIGGER:${trigger}`,
        'DESCRIPTION:x',
        'END:VALARM',
      ];
      return add(
        calendarId,
        'CREATED:20260101T000000Z',
        'DTSTART:20270322T090000Z',
        'DTEND:20270322T100000Z',
        `SUMMARY:${title}`,
        'COLOR:CornflowerBlue',
        `ORGANIZER:mailto:${server.username}`,
        'ATTENDEE;CN=By number:urn:uuid:8f1c9a6e-0b1d-4a52-8b6f-9d3f6a1c2b7e',
        'ATTENDEE;CN=Nobody;PARTSTAT=DECLINED:mailto:',
        'ATTENDEE;CN=" By path ":/principals/olga/',
        `ATTENDEE;CN=${'N'.repeat(300)}:MAILTO:${'l'.repeat(70)}@example.test`,
        'ATTENDEE;PARTSTAT=ACCEPTED:mailto:not-an-address',
        'ATTENDEE;EMAIL=karl@example.test:urn:uuid:9f1c9a6e-0b1d-4a52-8b6f-9d3f6a1c2b7e',
        ...Array.from({ length: 25 }, (_, index) => alarm(`-PT${index + 1}M`)).flat(),
        ...alarm('-P800D'),
      );
    },
    async retitle(calendarId, eventId, title) {
      const url = urlOf(calendarId, pathOf(eventId));
      const text = await send('GET', url);
      await send('PUT', url, text.replace(/^SUMMARY:.*$/m, `SUMMARY:${title}`));
    },
    async remove(calendarId, eventId) {
      await send('DELETE', urlOf(calendarId, pathOf(eventId)));
    },
  };
}
