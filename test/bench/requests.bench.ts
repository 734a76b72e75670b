/**
 * Lists of a window over providers that take 100 ms for each request: what a caller waits beyond the requests that have
 * to follow each other.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startGoogleService } from '../support/google-service.js';
import { startMicrosoftService } from '../support/microsoft-service.js';
import type { OAuthAccounts } from '../support/oauth-accounts.js';
import { startRadicale } from '../support/radicale.js';
import type { SandboxedSettings } from '../support/sandboxed-service.js';
import type { Sandbox } from '../support/sandbox.js';
import { startService, type Service } from '../support/service.js';

const LATENCY_MS = 100;
const CALLERS = 3;
const WARM_LISTS = 300;
const LISTS = 300;
const EVENTS = 20;
/** A month, so that the requests are those of docs/development/provider-requests.md. */
const QUERY = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z' };

/** Passes requests on, 100 ms after they came, and remembers how long each took. */
class LateProxy {
  target = '';
  private readonly server: Server;
  private taken: number[] = [];

  constructor() {
    this.server = createServer((request, response) => {
      const startedMs = performance.now();
      this.forward(request)
        .then(({ status, headers, body }) => {
          this.taken.push(performance.now() - startedMs);
          response.writeHead(status, headers).end(body);
        })
        .catch((error: unknown) => response.destroy(error as Error));
    });
    this.server.keepAliveTimeout = 120_000;
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Milliseconds of each request since the last call. */
  takenMs(): number[] {
    return this.taken.splice(0);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async forward(request: IncomingMessage) {
    const [chunks] = await Promise.all([request.toArray() as Promise<Buffer[]>, pause(LATENCY_MS)]);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const response = await fetch(this.target + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = (await response.text()).replaceAll(this.target, this.url);
    const kept = [...response.headers].filter(
      ([name]) => !/^(connection|content-(length|encoding)|keep-alive)$/.test(name),
    );
    return { status: response.status, headers: Object.fromEntries(kept), body: text };
  }
}

interface Listed {
  type: string;
  service: Service;
  path: string;
  proxy: LateProxy;
}

async function fill(service: Service, events: string): Promise<void> {
  for (let n = 0; n < EVENTS; n += 1) {
    const day = String(n + 2).padStart(2, '0');
    const { status } = await service.call('POST', events, {
      body: {
        title: `Meeting ${n}`,
        start: { dateTime: `2033-01-${day}T09:00:00Z` },
        end: { dateTime: `2033-01-${day}T10:00:00Z` },
      },
    });
    if (status !== 200) throw new Error(`An event was not created: ${status}`);
  }
}

async function measure({ type, service, path, proxy }: Listed) {
  const totals: number[] = [];
  const directs: number[] = [];
  const takens: number[] = [];
  const directTakens: number[] = [];
  for (const lists of [WARM_LISTS, LISTS]) {
    for (const measured of [totals, directs, takens, directTakens]) measured.length = 0;
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        for (let n = 0; n < lists / CALLERS; n += 1) totals.push(await timed(() => list(type, service, path)));
      }),
    );
    takens.push(...proxy.takenMs());
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        for (let n = 0; n < lists / CALLERS; n += 1) {
          directs.push(await timed(() => fetch(`${proxy.url}/`, { redirect: 'manual' }).then((one) => one.text())));
        }
      }),
    );
    directTakens.push(...proxy.takenMs());
  }
  const beyondProxyMs = median(directs) - median(directTakens);
  const requests = Math.round(takens.length / totals.length);
  return {
    name:
      `Milliseconds that a list of a window takes beyond its requests, one after the other, to a ${type} that takes ` +
      `${LATENCY_MS}, p50, ${CALLERS} callers`,
    ratio: median(totals) - requests * median(takens) - beyondProxyMs,
    limit: 5,
    detail: `${median(totals).toFixed(1)} ms, ${requests} request(s) of ${median(takens).toFixed(1)} ms`,
  };
}

async function list(type: string, service: Service, path: string): Promise<void> {
  const { status } = await service.call('GET', path, { query: QUERY });
  if (status !== 200) throw new Error(`${type}: ${status}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function ofOAuth(
  type: string,
  start: (settings: SandboxedSettings) => Promise<OAuthAccounts & { stop(): Promise<void> }>,
  settings: (sandbox: Sandbox, url: string) => { target: string; env: NodeJS.ProcessEnv },
) {
  const proxy = new LateProxy();
  const url = await proxy.start();
  const accounts = await start((sandbox) => {
    const { target, env } = settings(sandbox, url);
    proxy.target = target;
    return env;
  });
  try {
    const { accountId, calendarId } = await accounts.connected('lists@example.test');
    const path = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
    await fill(accounts.service, path);
    return await measure({ type, service: accounts.service, path, proxy });
  } finally {
    await accounts.stop();
    proxy.close();
  }
}

async function ofCalDav() {
  const radicale = await startRadicale();
  const proxy = new LateProxy();
  proxy.target = new URL(radicale.url).origin;
  const url = (await proxy.start()) + new URL(radicale.url).pathname;
  const service = await startService({ EGRESS_ALLOW: '127.0.0.0/8', CALDAV_REQUESTS_PER_MINUTE: '100000' });
  try {
    const { username: email, password } = radicale;
    const { body } = await service.call('POST', '/v1/endUserAccounts', {
      body: { providerType: 'CALDAV', email, serverUrl: url, password },
    });
    const made = await service.call('POST', `/v1/calendars/${body.id}`, { body: { name: 'Lists' } });
    const path = `/v1/events/${body.id}/${made.body.id}`;
    await fill(service, path);
    return await measure({ type: 'CALDAV', service, path, proxy });
  } finally {
    await service.stop();
    await radicale.stop();
    proxy.close();
  }
}

const rows = [
  await ofOAuth('GOOGLE', startGoogleService, ({ googleUrl: target }, url) => ({
    target,
    env: { GOOGLE_API_URL: url },
  })),
  await ofOAuth('MICROSOFT', startMicrosoftService, ({ microsoftUrl: target }, url) => ({
    target,
    env: { MICROSOFT_GRAPH_URL: url },
  })),
  await ofCalDav(),
];
console.log(JSON.stringify(rows));
process.exit();
