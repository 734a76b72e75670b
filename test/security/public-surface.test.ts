import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listeningPorts } from '../support/listening-ports.js';
import { operatorSession } from '../support/operator-session.js';
import { freePort } from '../support/processes.js';
import { startApi, startService, type Service } from '../support/service.js';
import { PAGE_ROUTES, PROVIDER_ROUTES, readOperations } from './tenancy-routes.js';

const OPERATORS_DOCUMENT = join(import.meta.dirname, '../../docs/openapi-operator.json');
const ELSEWHERE = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
const ID = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5';

/** What everybody may keep and look at; where pages of operators are is said by themselves. */
const PAGES = ['GET /api/docs', 'GET /api/docs/start.js', 'GET /api/openapi.json', 'GET /dashboard'];
const PROBES = ['GET /health/live', 'GET /health/ready', 'GET /health/startup'];
const NOWHERE = ['GET /', 'GET /api', 'GET /nothing', 'GET /api/v1/nothing', 'POST /health/live'];

let service: Service;
/** Every route that there is, as `GET /api/v1/…`: one that is added later is called as well. */
let routes: string[];

beforeAll(async () => {
  service = await startService({ PUBLIC_URL: 'https://calendar.example', RATE_LIMIT_RPS: '100000', METRICS_PORT: '0' });
  const { paths } = JSON.parse(readFileSync(OPERATORS_DOCUMENT, 'utf8')) as { paths: Record<string, object> };
  const operators = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const applications = (await readOperations(service)).map(({ name }) => name.replace(' ', ' /api'));
  const providers = [...PAGE_ROUTES, ...PROVIDER_ROUTES].map((name) => name.replace(' ', ' /api'));
  routes = [...operators, ...applications, ...providers, ...PAGES, ...PROBES, ...NOWHERE];
});

afterAll(() => service?.stop());

/** As it is written in the document; ids are those of nobody. */
async function call(route: string, options: RequestInit = {}): Promise<Response> {
  const [method = '', template = ''] = route.split(' ');
  const path = template.replaceAll(/\{\w+\}/g, ID);
  const response = await fetch(service.baseUrl + path, { method, redirect: 'manual', ...options });
  await response.arrayBuffer();
  return response;
}

/** Asked without a key, with one, and by a page of somebody else's. */
async function callAll(name: string): Promise<[string, Response][]> {
  const asked = [{}, { 'x-api-key': service.apiKey }, ELSEWHERE];
  return Promise.all(asked.map(async (headers) => [name, await call(name, { headers })] as [string, Response]));
}

describe('N59 the headers of every route', () => {
  it('let nobody guess, frame, or fall back to http, and do not say what answers', async () => {
    expect(routes.length).toBeGreaterThan(100);
    for (const route of routes) {
      for (const [name, { headers }] of await callAll(route)) {
        const seen = {
          nosniff: headers.get('x-content-type-options'),
          hsts: headers.get('strict-transport-security'),
          referrer: headers.get('referrer-policy'),
          frames: headers.get('content-security-policy')?.includes("frame-ancestors 'none'"),
          software: headers.get('x-powered-by') ?? headers.get('server'),
        };
        expect([name, seen]).toEqual([
          name,
          {
            nosniff: 'nosniff',
            hsts: 'max-age=31536000',
            referrer: 'no-referrer',
            frames: true,
            software: null,
          },
        ]);
      }
    }
  });

  it('let nobody keep an answer, but for pages that are the same for everybody', async () => {
    for (const route of routes.filter((name) => !PAGES.includes(name))) {
      for (const [name, { headers }] of await callAll(route)) {
        expect([name, headers.get('cache-control')]).toEqual([name, 'no-store']);
      }
    }
  });

  it('let no page of another origin read anything, asked before or after', async () => {
    for (const route of routes) {
      const [, path] = route.split(' ');
      const responses = [
        await call(route, { headers: ELSEWHERE }),
        await call(`OPTIONS ${path}`, { headers: ELSEWHERE }),
      ];
      for (const { headers } of responses) {
        expect([route, [...headers.keys()].filter((name) => name.startsWith('access-control'))]).toEqual([route, []]);
      }
    }
  });

  it('let nobody keep what is shown once: keys, secrets, invitations', async () => {
    const admin = await operatorSession(service);
    const endpoint = { url: 'https://8.8.8.8/hook', eventTypes: ['enduseraccount.created'] };
    const made = await service.call('POST', '/v1/webhookEndpoints', { body: endpoint });
    const shown = [
      made,
      await service.call('POST', `/v1/webhookEndpoints/${made.body.id}/rotateSecret`, { body: {} }),
      await admin.call('POST', `/applications/${service.applicationId}/apiKeys`, {
        body: { name: 'x', expires: '7', scopes: ['read'] },
      }),
      await admin.call('POST', '/invitations', { body: { email: 'ada@example.com', role: 'viewer' } }),
    ];
    for (const { status, headers, body } of shown) {
      expect([status, body]).toEqual([expect.any(Number), body]);
      expect(status).toBeLessThan(300);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('N59 the promise of https', () => {
  it('is given only where clients come by https', async () => {
    const port = await freePort();
    const { program, baseUrl } = await startApi({
      ...service.env,
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    });
    const { headers } = await fetch(`${baseUrl}/api/v1/nothing`);
    await program.stop();
    expect(headers.get('strict-transport-security')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('N58 the ports of the API', () => {
  it('are the public one and that of the metrics: nothing debugs, nothing is administered', async () => {
    const publicPort = Number(new URL(service.baseUrl).port);
    const others = listeningPorts(service.program.pid).filter((port) => port !== publicPort);
    expect(others).toHaveLength(1);
    expect((await fetch(`http://127.0.0.1:${others[0]}/metrics`)).status).toBe(200);
  });

  it.each(['metrics', 'queues', 'admin/queues', 'debug', 'json/version', 'json/list', 'inspector', 'env', 'graphql'])(
    'the public one has no %s',
    async (path) => {
      for (const prefix of ['', '/api', '/health', '/api/v1']) {
        expect([prefix, (await call(`GET ${prefix}/${path}`)).status]).toEqual([prefix, 404]);
      }
    },
  );
});
