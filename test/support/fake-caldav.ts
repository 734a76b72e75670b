import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { challenge, type Login } from './fake-caldav/authentication.js';
import { makeCalendar, patchProperties } from './fake-caldav/collections.js';
import { deleteObject, getObject, putObject, writeFailure } from './fake-caldav/objects.js';
import { calendarProperties, plainProperties, select } from './fake-caldav/properties.js';
import { responseReport, objectProperties } from './fake-caldav/reports.js';
import { decodePath, FakeStore, type FakeCalendar } from './fake-caldav/store.js';
import { defaultSwitches, type FakeResponse, type FakeSwitches, type RecordedRequest } from './fake-caldav/switches.js';
import { messagesOf, type SchedulingMessage } from './fake-caldav/scheduling.js';
import { child, multistatus, readXml, type AnswerResponse } from './fake-caldav/xml.js';

export type { FakeCalendar, FakeObject } from './fake-caldav/store.js';
export type { FakeResponse, FakeSwitches, RecordedRequest } from './fake-caldav/switches.js';
export { errorBody, multistatus } from './fake-caldav/xml.js';

const PRINCIPAL = '/principals/alice/';
const HOME = '/calendars/alice/';
const TIME_ZONE = '{urn:ietf:params:xml:ns:caldav}calendar-timezone';

export interface FakeCalDavOptions extends Partial<FakeSwitches> {
  login?: Login;
  /** Loopback address to listen at; all of 127/8 works on Linux, so that servers can be of different hosts. */
  host?: string;
  /** Serves the home from a second listener and names it absolutely, as iCloud does. */
  partition?: boolean;
  partitionHost?: string;
}

/** A CalDAV server in memory, with a switch for everything that no server at hand does. Listens on loopback. */
export class FakeCalDav {
  readonly switches: FakeSwitches;
  readonly login: Login;
  readonly store = new FakeStore(HOME);
  readonly principalPath = PRINCIPAL;
  readonly homePath = HOME;
  /** Every request, in order of arrival, refused ones included. */
  readonly requests: RecordedRequest[] = [];
  /** What was sent to guests and organizers, where the DAV header says `calendar-auto-schedule`. */
  readonly messages: SchedulingMessage[] = [];
  /** `host:port` of the listeners: the main one first. */
  readonly authorities: string[] = [];
  private readonly servers: Server[] = [];

  private constructor(options: FakeCalDavOptions) {
    const { login, host: _host, partition: _partition, partitionHost: _partitionHost, ...switches } = options;
    this.login = login ?? { username: 'alice@example.test', password: 'correct horse battery' };
    this.switches = { ...defaultSwitches(), ...switches };
  }

  static async start(options: FakeCalDavOptions = {}): Promise<FakeCalDav> {
    const fake = new FakeCalDav(options);
    await fake.listen(options.host ?? '127.0.0.1');
    if (options.partition === true) await fake.listen(options.partitionHost ?? options.host ?? '127.0.0.1');
    return fake;
  }

  /** `http://host:port/`: what a user would type. */
  get url(): string {
    return `http://${this.authorities[0] ?? ''}/`;
  }

  /** Where the home is: the partition when there is one. No trailing slash. */
  get homeOrigin(): string {
    return `http://${this.authorities.at(-1) ?? ''}`;
  }

  /** Value for EGRESS_ALLOW. */
  get egressAllow(): string {
    return this.authorities.join(',');
  }

  addCalendar(segment: string, displayName?: string): FakeCalendar {
    return this.store.addCalendar(segment, displayName);
  }

  requestsOf(method: string): RecordedRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  async close(): Promise<void> {
    await Promise.all(
      this.servers.map(async (server) => {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }),
    );
  }

  private async listen(host: string): Promise<void> {
    const server = createServer((request, response) => {
      this.receive(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    server.listen(0, host);
    await once(server, 'listening');
    this.authorities.push(`${host}:${(server.address() as AddressInfo).port}`);
    this.servers.push(server);
  }

  private async receive(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const request: RecordedRequest = {
      method: message.method ?? '',
      path: message.url ?? '',
      headers: Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, String(value)])),
      body: Buffer.concat(chunks).toString('utf8'),
      authority: message.headers.host ?? '',
    };
    this.requests.push(request);
    const answer = this.switches.intercept?.(request) ?? this.answer(request);
    if (answer === 'hang') return;
    if (answer === 'reset' || answer === 'reset-after') {
      if (answer === 'reset-after') this.answer(request);
      message.socket.resetAndDestroy();
      return;
    }
    if (answer === 'endless') return endless(response);
    response.writeHead(answer.status, {
      dav: this.switches.davHeader,
      ...(answer.status === 207 ? { 'content-type': 'application/xml; charset=utf-8' } : {}),
      ...answer.headers,
    });
    if (answer.status === 207 && answer.body !== undefined) response.write(this.switches.prolog);
    response.end(answer.body);
  }

  private answer(request: RecordedRequest): FakeResponse {
    const { switches } = this;
    const { throttle } = switches;
    if (throttle !== null && throttle.times > 0 && (throttle.methods ?? [request.method]).includes(request.method)) {
      throttle.times -= 1;
      const headers: Record<string, string> =
        throttle.retryAfter === undefined ? {} : { 'retry-after': throttle.retryAfter };
      return { status: throttle.status, headers };
    }
    const path = request.path.replace(/\?.*$/, '');
    const redirect = switches.redirects[path];
    if (redirect !== undefined) return { status: redirect.status, headers: { location: redirect.location } };
    const rejection = challenge(switches.authentication, this.login, request);
    if (rejection !== null || switches.unauthorized > 0) {
      switches.unauthorized = Math.max(0, switches.unauthorized - 1);
      return { status: 401, headers: { 'www-authenticate': rejection ?? 'Basic realm="fake"' } };
    }
    return this.route(request, path);
  }

  private route(request: RecordedRequest, path: string): FakeResponse {
    const { switches, store } = this;
    const place = store.locate(path);
    switch (request.method) {
      case 'OPTIONS':
        return { status: 200 };
      case 'PROPFIND':
        return this.propfind(request, path);
      case 'PROPPATCH':
        if (place?.name !== '') return { status: 403 };
        return patchProperties(place.calendar, switches, this.show(path), readXml(Buffer.from(request.body)));
      case 'MKCALENDAR':
      case 'MKCOL':
        return makeCalendar(store, switches, path, request.method, readXml(Buffer.from(request.body)));
      case 'REPORT': {
        const body = readXml(Buffer.from(request.body));
        if (body === null) return { status: 400 };
        if (place === null) return { status: 404 };
        return responseReport(place.calendar, body, { store, switches, show: (shown) => this.show(shown) });
      }
      case 'GET':
        return place === null || place.name === '' ? { status: 404 } : getObject(place.calendar, place.name, switches);
      case 'PUT':
        if (place === null || place.name === '') return { status: 409 };
        return this.scheduling(place, request, () => putObject(place.calendar, place.name, request, switches));
      case 'DELETE':
        if (place === null) return { status: 404 };
        if (place.name === '') return this.deleteCalendar(place.calendar);
        return this.scheduling(place, request, () => deleteObject(place.calendar, place.name, request));
      default:
        return { status: 501 };
    }
  }

  /** A write of an object, and the messages that follow from it. */
  private scheduling(
    { calendar, name }: { calendar: FakeCalendar; name: string },
    { path, headers }: RecordedRequest,
    write: () => FakeResponse,
  ): FakeResponse {
    const failure = writeFailure(this.switches, path);
    if (failure !== null) return failure;
    const before = calendar.objects.get(name)?.body;
    const response = write();
    if (response.status < 300 && this.switches.davHeader.includes('calendar-auto-schedule')) {
      const own = [`mailto:${this.login.username.toLowerCase()}`, PRINCIPAL];
      this.messages.push(...messagesOf(before, calendar.objects.get(name)?.body, own, headers['schedule-reply']));
    }
    return response;
  }

  private deleteCalendar(calendar: FakeCalendar): FakeResponse {
    if (this.switches.deleteCalendar !== 'works') return { status: this.switches.deleteCalendar };
    this.store.calendars.delete(calendar.path);
    return { status: 204 };
  }

  private propfind(request: RecordedRequest, path: string): FakeResponse {
    const body = readXml(Buffer.from(request.body));
    const asked = child(body ?? undefined, '{DAV:}prop')?.children.map(({ name }) => name) ?? [];
    const isDeep = request.headers.depth === '1';
    const responses = this.resources(path, isDeep)?.map(([href, properties]): AnswerResponse => {
      return { href: this.show(href), properties: select(asked, properties) };
    });
    if (responses === undefined) return this.elsewhere();
    const foreign = isDeep
      ? this.switches.foreignHrefs.map((href) => ({ href, properties: responses.at(-1)?.properties ?? [] }))
      : [];
    return { status: 207, body: multistatus([...responses, ...foreign], this.switches.xmlStyle) };
  }

  /** The resource at a path and, asked deeply, its members; undefined when there is none. */
  private resources(path: string, isDeep: boolean): [string, Map<string, string>][] | undefined {
    const { switches, store } = this;
    const decoded = decodePath(path.endsWith('/') ? path : `${path}/`);
    const addresses = {
      principalPath: PRINCIPAL,
      homeHrefs: switches.homeSet ?? [this.authorities.length > 1 ? `${this.homeOrigin}${HOME}` : HOME],
      username: this.login.username,
    };
    if (decoded === HOME) {
      const calendars = isDeep ? [...store.calendars.values()] : [];
      return [
        [HOME, plainProperties('home', switches, addresses)],
        ...calendars.map((calendar): [string, Map<string, string>] => {
          const properties = calendarProperties(calendar, switches);
          if (!switches.zonesListed) properties.delete(TIME_ZONE);
          return [calendar.path, properties];
        }),
      ];
    }
    if (decoded === PRINCIPAL) return [[PRINCIPAL, plainProperties('principal', switches, addresses)]];
    if (switches.entryPaths.includes(decoded)) return [[path, plainProperties('entry', switches, addresses)]];
    const place = store.locate(path);
    if (place === null) return undefined;
    if (place.name === '') {
      const members = isDeep ? [...place.calendar.objects] : [];
      const own = calendarProperties(place.calendar, switches);
      if (switches.currentUserPrincipal === 'href') {
        own.set('{DAV:}current-user-principal', `<d:href>${PRINCIPAL}</d:href>`);
      }
      return [
        [place.calendar.path, own],
        ...members.map(([name, object]): [string, Map<string, string>] => [
          place.calendar.path + encodeURIComponent(name),
          objectProperties(object, switches),
        ]),
      ];
    }
    const object = place.calendar.objects.get(place.name);
    return object === undefined ? undefined : [[path, objectProperties(object, switches)]];
  }

  private elsewhere(): FakeResponse {
    switch (this.switches.elsewhere) {
      case 'html':
        return { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Welcome</title>' };
      case 'not-found':
        return { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>secret banner</h1>' };
      case 'method-not-allowed':
        return { status: 405 };
    }
  }

  private show(path: string): string {
    switch (this.switches.hrefStyle) {
      case 'as-stored':
        return path;
      case 'decoded':
        return decodePath(path);
      case 'lower-case-escapes':
        return path.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
      case 'absolute':
        return `${this.homeOrigin}${path}`;
    }
  }
}

/** Writes until the other side has had enough. */
function endless(response: ServerResponse): void {
  response.writeHead(207, { 'content-type': 'application/xml' });
  response.write('<?xml version="1.0"?><multistatus xmlns="DAV:">');
  const piece = '<response><href>/x/</href><status>HTTP/1.1 404 Not Found</status></response>'.repeat(1_000);
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  more();
}
