import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DomainError } from '#domain/system';
import { readEventPatch, readNewEvent } from '../../libs/application/src/events/event-input.js';
import type { WriteContext } from '../../libs/providers/caldav/events/contract.js';
import { EventWriter } from '../../libs/providers/caldav/events/event-writer.js';
import { startService, type Answer, type CallOptions, type Service } from '../support/service.js';
import type { ConformanceSubject } from './subject.js';

const OWNER = 'alice@example.test';
const writer = new EventWriter();

/** A calendar that somebody publishes: what he writes is in the feed at once. */
interface Publication {
  path: string;
  accountId: string;
  name: string;
  timeZone: string;
  /** By UID. */
  objects: Map<string, Buffer>;
}

/**
 * Publishes calendars as feeds and connects each of them, so that the suite's questions to one account with many calendars
 * are those to many accounts with one. What it writes, the publisher writes into the feed; what it reads, the service reads
 * from there.
 */
export async function startIcsSubject(): Promise<{
  service: Service;
  /** The service, before which the publisher takes what is to be written. */
  published: Service;
  subject: ConformanceSubject;
  stop(): Promise<void>;
}> {
  const publisher = await Publisher.start();
  const service = await startService({ EGRESS_ALLOW: publisher.authority, ICS_MIN_REFRESH_SECONDS: '0' });
  publisher.service = service;
  return {
    service,
    published: { ...service, call: (method, path, options) => publisher.call(method, path, options) },
    subject: publisher.subject(),
    async stop() {
      await service.stop();
      publisher.close();
    },
  };
}

class Publisher {
  service!: Service;
  private readonly byPath = new Map<string, Publication>();
  /** By calendar id. */
  private readonly byId = new Map<string, Publication>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Publisher> {
    const server = createServer();
    const publisher = new Publisher(server);
    server.on('request', (request, response) => {
      const publication = publisher.byPath.get(request.url ?? '');
      if (publication === undefined) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'text/calendar' }).end(feedOf(publication));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return publisher;
  }

  get authority(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
  }

  subject(): ConformanceSubject {
    let first: Publication | undefined;
    return {
      name: 'ICS from a publisher',
      providerType: 'ICS',
      connect: async () => this.connect((first ??= this.publish('Published', 'Europe/Berlin'))),
      connectWrongly: (to) => connectAt(to, `http://${this.authority}/withdrawn.ics`),
      elsewhere: {
        invite: async (calendarId, { title, startUtc, endUtc }) => {
          const uid = randomUUID();
          const times = [`DTSTART:${startUtc}`, `DTEND:${endUtc}`].map((line) =>
            line.replace(/:(.*)$/, (_, time: string) => `:${time.replaceAll(/[-:]/g, '')}`),
          );
          const guests = ['ORGANIZER:mailto:olga@example.test', `ATTENDEE;RSVP=TRUE:mailto:${OWNER}`];
          const lines = [`UID:${uid}`, 'DTSTAMP:20260101T000000Z', ...times, `SUMMARY:${title}`, ...guests];
          const event = ['BEGIN:VEVENT', ...lines, 'END:VEVENT'];
          const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...event, 'END:VCALENDAR', ''].join('\r\n');
          this.of(calendarId).objects.set(uid, Buffer.from(text));
          return uid;
        },
        strange: () => Promise.reject(new Error('Whatever is published may be strange')),
        retitle: async (calendarId, eventId, title) => {
          const { status } = await this.call('PUT', this.pathOf(calendarId, eventId), { body: { title } });
          expect(status).toBe(200);
        },
        remove: async (calendarId, eventId) => {
          expect((await this.call('DELETE', this.pathOf(calendarId, eventId))).status).toBe(200);
        },
      },
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
    };
  }

  /** As the service is called. Of the account in the path only its calendars count: each is in an account of its own. */
  async call<T = any>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> {
    const [, resource = '', rest = ''] = /^\/v1\/(calendars|events|freeBusy)\/[^/]+(.*)$/.exec(path) ?? [];
    if (resource === 'freeBusy') return this.freeBusy(path, options);
    const [, calendarId = '', ...eventPath] = rest.split('/');
    const publication = this.byId.get(calendarId);
    const at = publication === undefined ? path : `/v1/${resource}/${publication.accountId}${rest}`;
    if (method === 'GET' || resource === '') return this.service.call(method, at, options);
    if (resource === 'calendars') return this.writeCalendar(method, calendarId, options) as Promise<Answer<T>>;
    try {
      return await this.writeEvent(method, this.of(calendarId), calendarId, eventPath, options);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return answer(400, { code: error.code, details: error.details, message: error.message }) as Answer<T>;
    }
  }

  private async freeBusy(path: string, options: CallOptions): Promise<Answer> {
    const { calendarIds, ...body } = options.body as { calendarIds?: unknown };
    if (!Array.isArray(calendarIds) || !calendarIds.some((id) => this.byId.has(id as string))) {
      return this.service.call('POST', path, options);
    }
    const elements: unknown[] = [];
    for (const id of calendarIds as string[]) {
      const accountId = this.byId.get(id)?.accountId ?? /[^/]+$/.exec(path)?.[0];
      const part = await this.service.call('POST', `/v1/freeBusy/${accountId}`, {
        body: { ...body, calendarIds: [id] },
      });
      if (part.status !== 200) return part;
      elements.push(...(part.body as unknown[]));
    }
    return answer(200, elements);
  }

  private async writeCalendar(method: string, calendarId: string, { body }: CallOptions): Promise<Answer> {
    if (method === 'DELETE') {
      this.byPath.delete(this.of(calendarId).path);
      return answer(200, { success: true });
    }
    const { name, timeZone = 'UTC' } = body as { name: string; timeZone?: string };
    const publication = this.publish(name, timeZone);
    const connected = await this.connect(publication);
    expect(connected.status).toBe(200);
    const [calendar] = (await this.service.call('GET', `/v1/calendars/${publication.accountId}`)).body.data;
    this.byId.set(calendar.id as string, publication);
    return answer(200, calendar);
  }

  private async writeEvent(
    method: string,
    publication: Publication,
    calendarId: string,
    [eventId, action]: string[],
    { body, query, headers }: CallOptions,
  ): Promise<Answer> {
    const context: WriteContext = {
      calendarTimeZone: publication.timeZone,
      ownAddresses: [OWNER],
      organizer: `mailto:${OWNER}`,
      scheduleAgent: null,
      omitTimezones: false,
      nowMs: Date.now(),
    };
    if (eventId === undefined) {
      const uid = randomUUID();
      publication.objects.set(uid, writer.create(uid, readNewEvent(asPublished(body)), context).body);
      return this.eventOf(calendarId, uid, null);
    }
    const event = (await this.call('GET', this.pathOf(calendarId, eventId))).body;
    const ifMatch = headers?.['if-match']?.replaceAll('"', '');
    if (ifMatch !== undefined && ifMatch !== event.etag) return answer(412, { code: 'PreconditionFailed' });
    const uid = event.iCalUid as string;
    const object = publication.objects.get(uid);
    if (object === undefined) return answer(404, { code: 'NotFound' });
    // One who declines what he publishes does not publish it.
    if (action === 'rsvp') {
      publication.objects.delete(uid);
      return answer(200, { success: true });
    }
    const instanceDate = /_(\w+)$/.exec(event.id as string)?.[1] ?? null;
    const scope = (query?.['scope'] ?? (instanceDate === null ? 'all' : 'this')) as 'this' | 'following' | 'all';
    if (method === 'DELETE') {
      const left = writer.remove(object, instanceDate, scope, context);
      if (left === null) publication.objects.delete(uid);
      else publication.objects.set(uid, left);
      return answer(200, { success: true });
    }
    const written = writer.update(object, instanceDate, scope, readEventPatch(asPublished(body)), context);
    publication.objects.set(uid, written.body);
    if (written.split !== undefined) {
      publication.objects.set(written.split.uid, written.split.body);
      return this.eventOf(calendarId, written.split.uid, null);
    }
    return this.eventOf(calendarId, uid, written.instanceDate);
  }

  private async eventOf(calendarId: string, iCalUid: string, instanceDate: string | null): Promise<Answer> {
    const { body } = await this.call('GET', this.pathOf(calendarId), { query: { iCalUid } });
    const whole = body.data.find((item: any) => item.recurringEventId === undefined);
    return this.call('GET', this.pathOf(calendarId, instanceDate === null ? whole.id : `${whole.id}_${instanceDate}`));
  }

  private publish(name: string, timeZone: string): Publication {
    const publication: Publication = {
      path: `/${randomUUID()}.ics`,
      accountId: '',
      name,
      timeZone,
      objects: new Map(),
    };
    this.byPath.set(publication.path, publication);
    return publication;
  }

  private async connect(publication: Publication): Promise<Answer> {
    const connected = await connectAt(this.service, `http://${this.authority}${publication.path}`);
    publication.accountId = connected.body.id as string;
    return connected;
  }

  private of(calendarId: string): Publication {
    const publication = this.byId.get(calendarId);
    if (publication === undefined) throw new DomainError('NotFound', 'Nobody publishes this calendar');
    return publication;
  }

  private pathOf(calendarId: string, ...more: string[]): string {
    return ['/v1/events', this.of(calendarId).accountId, calendarId, ...more].join('/');
  }
}

function connectAt(service: Service, url: string): Promise<Answer> {
  return service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/ics`, { body: { url } });
}

/** A published calendar has nothing that its readers do not see. */
function asPublished(body: unknown): object {
  const { publicExtendedProperties, privateExtendedProperties, ...event } = body as Record<string, object | undefined>;
  if (publicExtendedProperties === undefined && privateExtendedProperties === undefined) return event;
  return { ...event, publicExtendedProperties: { ...publicExtendedProperties, ...privateExtendedProperties } };
}

function feedOf({ name, timeZone, objects }: Publication): string {
  const components = [...objects.values()].map((object) =>
    object.toString().replaceAll(/^(?:BEGIN:VCALENDAR|VERSION|PRODID|CALSCALE|END:VCALENDAR).*\r\n/gm, ''),
  );
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'REFRESH-INTERVAL;VALUE=DURATION:PT0S'];
  return [...head, `X-WR-CALNAME:${name}`, `X-WR-TIMEZONE:${timeZone}`, `${components.join('')}END:VCALENDAR`, ''].join(
    '\r\n',
  );
}

function answer(status: number, body: unknown): Answer {
  return { status, headers: new Headers(), body };
}
