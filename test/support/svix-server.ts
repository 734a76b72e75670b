import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

interface Key {
  key: string;
  /** Milliseconds since the epoch; of the current one infinity. */
  endsAtMs: number;
}

interface SvixEndpoint {
  id: string;
  uid: string;
  url: string;
  throttleRate: number | null;
  channels: string[] | null;
  disabled: boolean;
  metadata: Record<string, string>;
  headers: Record<string, string>;
  /** The current one first. */
  keys: Key[];
}

interface SvixAttempt {
  id: string;
  endpointId: string;
  msgId: string;
  url: string;
  response: string;
  responseStatusCode: number;
  responseDurationMs: number;
  status: number;
  statusText: string;
  triggerType: number;
  timestamp: string;
}

interface SvixMessage {
  id: string;
  eventId: string;
  eventType: string;
  channels: string[];
  body: string;
  timestamp: string;
  attempts: SvixAttempt[];
  /** By endpoint that it is for. */
  nextAttempts: Map<string, string | null>;
}

interface SvixApplication {
  id: string;
  uid: string;
  name: string;
  metadata: Record<string, string>;
  endpoints: Map<string, SvixEndpoint>;
  messages: Map<string, SvixMessage>;
}

type Body = Record<string, any>;
interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const UID = /^[a-zA-Z0-9\-_.]{1,256}$/;
const EVENT_TYPE = /^[a-zA-Z0-9\-_.]{1,256}$/;
const SUCCESS = 0;
const FAIL = 2;

class Refused extends Error {
  constructor(readonly answer: Answer) {
    super();
  }
}

const rejected = (status: number, code: string, detail: unknown): Refused =>
  new Refused({ status, body: { code, detail } });
const invalid = (field: string): Refused => rejected(422, 'validation', [{ loc: ['body', field], msg: 'invalid' }]);
const stamped = { createdAt: new Date().toISOString(), updatedAt: new Date().toISOString() };

/**
 * What we use of the interface of Svix (https://api.svix.com/docs), on loopback: it keeps applications, endpoints, messages and
 * attempts, and delivers at once, as `whitelabel_headers` makes the open server do it. It tries a message once; further
 * attempts are asked for. Paths, fields and values that we have no business with are violations.
 */
export class SvixServer {
  readonly token = `testsk_${randomBytes(12).toString('hex')}`;
  readonly applications = new Map<string, SvixApplication>();
  /** `POST /api/v1/app`, in the order of arrival. */
  readonly calls: string[] = [];
  readonly violations: string[] = [];
  readonly #server: Server;
  readonly #deliveries = new Set<Promise<void>>();
  readonly #faults: { path: RegExp; answer: Answer | 'reset' | 'lost' }[] = [];
  #ids = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<SvixServer> {
    const svix = new SvixServer();
    await new Promise<void>((resolve) => svix.#server.listen(0, '127.0.0.1', resolve));
    return svix;
  }

  get origin(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the server does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** The next request to a path that matches: another answer, a reset, or done and the answer lost. */
  failNext(path: RegExp, answer: Answer | 'reset' | 'lost'): void {
    this.#faults.push({ path, answer });
  }

  /** @throws Error when it is not there */
  endpoint(applicationId: string, uid: string): SvixEndpoint {
    const endpoint = this.applications.get(applicationId)?.endpoints.get(uid);
    if (endpoint === undefined) throw new Error(`Svix has no endpoint ${uid}`);
    return endpoint;
  }

  messages(applicationId: string): SvixMessage[] {
    return [...(this.applications.get(applicationId)?.messages.values() ?? [])];
  }

  /** Waits for all deliveries under way. */
  async settled(): Promise<void> {
    while (this.#deliveries.size > 0) await Promise.all(this.#deliveries);
  }

  async close(): Promise<void> {
    await this.settled();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://svix');
    const call = `${request.method} ${pathname}`;
    this.calls.push(call);
    const raw = await text(request);
    const at = this.#faults.findIndex(({ path }) => path.test(call));
    const fault = at === -1 ? undefined : this.#faults.splice(at, 1)[0]?.answer;
    if (fault === 'reset') return void request.socket.destroy();
    let answer = fault === 'lost' ? undefined : fault;
    try {
      if (request.headers.authorization !== `Bearer ${this.token}`)
        throw rejected(401, 'authentication_failed', 'token');
      answer ??= this.#route(call, raw === '' ? {} : (JSON.parse(raw) as Body), searchParams);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      answer = error.answer;
    }
    if (fault === 'lost') return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : answer.body && JSON.stringify(answer.body));
  }

  #route(call: string, body: Body, query: URLSearchParams): Answer {
    const segments = call.split(' ')[1]?.split('/').slice(4).map(decodeURIComponent) ?? [];
    const [appId = '', kind, id = '', ...rest] = segments;
    const shape = call.replace(/(?<=\/(app|endpoint|msg)\/)(?!msg\/|endpoint\/)[^/]+/g, ':id');
    if (shape === 'POST /api/v1/app') return this.#createApplication(body, query);
    const application = this.applications.get(appId);
    if (application === undefined) throw rejected(404, 'not_found', 'Entity not found');
    switch (shape) {
      case 'POST /api/v1/app/:id/endpoint':
        return this.#createEndpoint(application, body);
      case 'POST /api/v1/app/:id/msg':
        return this.#createMessage(application, body);
      case 'GET /api/v1/app/:id/attempt/msg/:id':
        return listed(messageOf(application, rest[0] ?? '').attempts.toReversed());
      case 'GET /api/v1/app/:id/msg/:id/endpoint':
        return listed([...messageOf(application, id).nextAttempts.values()].map((nextAttempt) => ({ nextAttempt })));
      case 'POST /api/v1/app/:id/msg/:id/endpoint/:id/resend': {
        const [, uid = ''] = rest;
        this.#deliver(messageOf(application, id), endpointOf(application, uid), 1);
        return { status: 202, body: {} };
      }
    }
    if (kind !== 'endpoint') return this.#violation(`unknown call ${call}`);
    return this.#onEndpoint(shape, application, endpointOf(application, id), body);
  }

  #onEndpoint(shape: string, application: SvixApplication, endpoint: SvixEndpoint, body: Body): Answer {
    switch (shape) {
      case 'GET /api/v1/app/:id/endpoint/:id':
        return { status: 200, body: shown(endpoint) };
      case 'PATCH /api/v1/app/:id/endpoint/:id':
        this.#onlyKnown(body, ['url', 'throttleRate', 'channels', 'disabled']);
        Object.assign(endpoint, this.#checked(body));
        return { status: 200, body: shown(endpoint) };
      case 'DELETE /api/v1/app/:id/endpoint/:id':
        application.endpoints.delete(endpoint.uid);
        return { status: 204 };
      case 'PUT /api/v1/app/:id/endpoint/:id/headers':
        this.#onlyKnown(body, ['headers']);
        endpoint.headers = body.headers;
        return { status: 204 };
      case 'GET /api/v1/app/:id/endpoint/:id/secret':
        return { status: 200, body: { key: endpoint.keys[0]?.key } };
      case 'POST /api/v1/app/:id/endpoint/:id/secret/rotate': {
        this.#onlyKnown(body, ['key', 'gracePeriodSeconds']);
        if (!(body.gracePeriodSeconds >= 0 && body.gracePeriodSeconds <= 7 * 86_400))
          throw invalid('gracePeriodSeconds');
        const [current, ...old] = endpoint.keys;
        const replaced = { key: current?.key ?? '', endsAtMs: Date.now() + body.gracePeriodSeconds * 1_000 };
        endpoint.keys = [{ key: secretOf(body.key), endsAtMs: Infinity }, replaced, ...old];
        return { status: 204 };
      }
      case 'POST /api/v1/app/:id/endpoint/:id/recover': {
        this.#onlyKnown(body, ['since']);
        if (Date.parse(body.since) < Date.now() - 14 * 86_400_000) throw invalid('since');
        const failed = [...application.messages.values()].filter(
          ({ timestamp, attempts }) => timestamp >= body.since && attempts.at(-1)?.status === FAIL,
        );
        for (const message of failed) this.#deliver(message, endpoint, 1);
        return {
          status: 202,
          body: { id: this.#id('qtask'), status: 'running', task: 'endpoint.recover', ...stamped },
        };
      }
    }
    return this.#violation(`unknown call ${shape}`);
  }

  #createApplication(body: Body, query: URLSearchParams): Answer {
    this.#onlyKnown(body, ['uid', 'name', 'metadata']);
    if (!UID.test(body.uid) || body.name === '') throw invalid('uid');
    const known = this.applications.get(body.uid);
    if (known !== undefined && query.get('get_if_exists') !== 'true') throw rejected(409, 'conflict', 'exists');
    const { uid, name, metadata } = body as SvixApplication;
    const application = known ?? {
      ...{ id: this.#id('app'), uid, name, metadata },
      ...{ endpoints: new Map<string, SvixEndpoint>(), messages: new Map<string, SvixMessage>() },
    };
    this.applications.set(uid, application);
    return { status: known === undefined ? 201 : 200, body: { id: application.id, uid, name, metadata, ...stamped } };
  }

  #createEndpoint(application: SvixApplication, body: Body): Answer {
    this.#onlyKnown(body, ['uid', 'url', 'throttleRate', 'channels', 'secret', 'metadata']);
    if (!UID.test(body.uid)) throw invalid('uid');
    if (application.endpoints.has(body.uid)) throw rejected(409, 'conflict', 'An entity with this value exists');
    const { url, throttleRate, channels } = this.#checked(body);
    const endpoint: SvixEndpoint = {
      ...{ id: this.#id('ep'), uid: body.uid, url: url ?? '', throttleRate: throttleRate ?? null },
      ...{ channels: channels ?? null, disabled: false, metadata: body.metadata, headers: {} },
      keys: [{ key: secretOf(body.secret), endsAtMs: Infinity }],
    };
    application.endpoints.set(endpoint.uid, endpoint);
    return { status: 201, body: shown(endpoint) };
  }

  #createMessage(application: SvixApplication, body: Body): Answer {
    this.#onlyKnown(body, ['eventId', 'eventType', 'channels', 'payload']);
    if (!UID.test(body.eventId)) throw invalid('eventId');
    if (!EVENT_TYPE.test(body.eventType)) throw invalid('eventType');
    if (!(body.channels?.length >= 1 && body.channels.length <= 5)) throw invalid('channels');
    if (body.payload === null || typeof body.payload !== 'object' || Array.isArray(body.payload))
      throw invalid('payload');
    if (application.messages.has(body.eventId)) throw rejected(409, 'conflict', 'An entity with this value exists');
    const { eventId, eventType, channels } = body as SvixMessage;
    const message: SvixMessage = {
      ...{ id: this.#id('msg'), eventId, eventType, channels, body: JSON.stringify(body.payload) },
      ...{ timestamp: new Date().toISOString(), attempts: [], nextAttempts: new Map<string, string | null>() },
    };
    application.messages.set(eventId, message);
    for (const endpoint of application.endpoints.values()) {
      const listens = endpoint.channels === null || endpoint.channels.some((channel) => channels.includes(channel));
      if (listens && !endpoint.disabled) this.#deliver(message, endpoint, 0);
    }
    const { id, timestamp } = message;
    return { status: 202, body: { id, eventId, eventType, channels, payload: {}, timestamp } };
  }

  #checked(body: Body): Partial<SvixEndpoint> {
    const { url, throttleRate, channels } = body;
    if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) throw invalid('url');
    if (throttleRate != null && !(Number.isInteger(throttleRate) && throttleRate >= 1)) throw invalid('throttleRate');
    if (channels != null && !channels.every((channel: string) => /^[a-zA-Z0-9\-_.]{1,128}$/.test(channel))) {
      throw invalid('channels');
    }
    return body;
  }

  #deliver(message: SvixMessage, endpoint: SvixEndpoint, triggerType: 0 | 1): void {
    const delivery = this.#attempt(message, endpoint, triggerType).finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
  }

  async #attempt(message: SvixMessage, endpoint: SvixEndpoint, triggerType: 0 | 1): Promise<void> {
    const startMs = Date.now();
    const timestamp = String(Math.floor(startMs / 1_000));
    const signatures = endpoint.keys
      .filter(({ endsAtMs }) => endsAtMs > startMs)
      .map(({ key }) => createHmac('sha256', Buffer.from(key.replace('whsec_', ''), 'base64')))
      .map((hmac) => `v1,${hmac.update(`${message.id}.${timestamp}.${message.body}`).digest('base64')}`);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Svix-Webhooks/1.0',
      ...{ 'webhook-id': message.id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') },
      ...endpoint.headers,
    };
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers,
      body: message.body,
      redirect: 'manual',
    }).then(
      async (received) => ({ status: received.status, text: await received.text() }),
      (error: unknown) => ({ status: 0, text: String(error) }),
    );
    const isDelivered = response.status >= 200 && response.status < 300;
    message.nextAttempts.set(endpoint.id, isDelivered ? null : new Date(startMs + 5_000).toISOString());
    message.attempts.push({
      ...{ id: this.#id('atmpt'), endpointId: endpoint.id, msgId: message.id, url: endpoint.url },
      ...{ response: response.text, responseStatusCode: response.status, responseDurationMs: Date.now() - startMs },
      ...{ status: isDelivered ? SUCCESS : FAIL, statusText: isDelivered ? 'success' : 'fail' },
      ...{ triggerType, timestamp: new Date(startMs).toISOString() },
    });
  }

  #onlyKnown(body: Body, fields: string[]): void {
    for (const field of Object.keys(body)) if (!fields.includes(field)) this.#violation(`unexpected field ${field}`);
  }

  #violation(what: string): never {
    this.violations.push(what);
    throw rejected(404, 'not_found', what);
  }

  #id(prefix: string): string {
    return `${prefix}_${String((this.#ids += 1)).padStart(27, '2')}`;
  }
}

function listed(data: unknown[]): Answer {
  return { status: 200, body: { data, iterator: null, prevIterator: null, done: true } };
}

function shown({ keys: _keys, headers: _headers, ...endpoint }: SvixEndpoint): object {
  return { ...endpoint, description: '', eventTypes: null, version: 1, ...stamped };
}

function endpointOf(application: SvixApplication, uid: string): SvixEndpoint {
  const endpoint = application.endpoints.get(uid);
  if (endpoint === undefined) throw rejected(404, 'not_found', 'Entity not found');
  return endpoint;
}

function messageOf(application: SvixApplication, eventId: string): SvixMessage {
  const message = application.messages.get(eventId);
  if (message === undefined) throw rejected(404, 'not_found', 'Entity not found');
  return message;
}

function secretOf(secret: string): string {
  const encoded = secret.replace('whsec_', '');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length < 24 || bytes.length > 75 || bytes.toString('base64') !== encoded) throw invalid('secret');
  return secret;
}
