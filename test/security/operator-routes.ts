import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { operatorSession, type OperatorSession } from '../support/operator-session.js';
import { asAdmin } from '../support/postgres.js';
import { callService, type Answer, type Service } from '../support/service.js';
import { requestOf, type PathIds } from './tenancy-routes.js';

/** Operations of operators that need no session: how one gets in. */
const WITHOUT_SESSION = [
  'GET /sign-on/callback',
  'GET /sign-on/start',
  'GET /welcome',
  'POST /invitations/accept',
  'POST /invitations/open',
  'POST /session',
];

/** What viewers may change: what is theirs. */
const OWN_AFFAIRS = [
  'DELETE /session',
  'DELETE /sessions',
  'DELETE /sessions/{sessionId}',
  'POST /session/reauthenticate',
  'POST /sign-on/link',
  'POST /sign-on/reauthenticate',
  'PUT /session/password',
];

interface Operation {
  /** `POST /invitations` */
  name: string;
  method: string;
  /** Below `/api/operator/v1`, with ids that nobody has. */
  path: string;
  security?: Record<string, string[]>[] | undefined;
}

/**
 * Every operation of the operators' document, called in every way that it has to refuse: one that is added later is
 * called as well.
 */
export function describeOperatorRoutes(
  fixture: () => { service: Service; ids: PathIds },
  settings: { applicationPaths: string[] },
): void {
  describe('the routes of operators', () => {
    let operations: Operation[];
    let admin: OperatorSession;
    let viewer: OperatorSession;

    beforeAll(async () => {
      const { service } = fixture();
      admin = await operatorSession(service, 'admin');
      viewer = await operatorSession(service, 'viewer');
      const { body } = await admin.call('GET', '/openapi.json');
      operations = operationsOf(body.paths);
    });

    const writes = () => operations.filter(({ method }) => method !== 'GET');
    const guarded = () => operations.filter(({ name }) => !WITHOUT_SESSION.includes(name));
    const outcomes = (responses: [string, Answer][]) =>
      responses.map(([name, { status, body }]) => [name, status, (body as { code?: string }).code]);
    const rejected = (these: Operation[], status: number) => these.map(({ name }) => [name, status, 'Forbidden']);

    /** As nobody in particular. */
    async function called(these: Operation[], headers: Record<string, string>): Promise<unknown[]> {
      const responses: [string, Answer][] = [];
      for (const { name, method, path } of these) {
        const body = method === 'GET' ? undefined : {};
        const route = `/operator/v1${path}`;
        responses.push([
          name,
          await callService(fixture().service.baseUrl, '', method, route, { key: null, headers, body }),
        ]);
      }
      return outcomes(responses);
    }

    async function calledBy(session: OperatorSession, these: Operation[], headers = {}, body: unknown = {}) {
      const responses: [string, Answer][] = [];
      for (const { name, method, path } of these) {
        responses.push([name, await session.call(method, path, method === 'GET' ? {} : { headers, body })]);
      }
      return outcomes(responses);
    }

    /** Whatever is done is recorded. */
    const recorded = () =>
      asAdmin(fixture().service.adminDatabaseUrl, async (database) => {
        const { rows } = await database.query('select count(*)::int as count from audit_entry');
        return (rows[0] as { count: number }).count;
      });

    it('are in a document of their own, which operators alone may read', async () => {
      expect(operations.length).toBeGreaterThan(30);
      const { baseUrl } = fixture().service;
      expect((await callService(baseUrl, '', 'GET', '/operator/v1/openapi.json', { key: null })).status).toBe(401);
      const { body } = await callService<{ paths: object }>(baseUrl, '', 'GET', '/openapi.json', { key: null });
      expect(Object.keys(body.paths).filter((path) => path.includes('operator'))).toEqual([]);
    });

    it('N60 need a session, but those by which one gets in', async () => {
      const open = operations.filter(({ security }) => security?.length === 0).map(({ name }) => name);
      expect(open.sort()).toEqual(WITHOUT_SESSION);
      const { origin } = new URL(fixture().service.env['PUBLIC_URL']!);
      expect(await called(guarded(), { origin })).toEqual(rejected(guarded(), 401));
    });

    it('N10 are not opened by an application key', async () => {
      const { service } = fixture();
      const { origin } = new URL(service.env['PUBLIC_URL']!);
      const before = await recorded();
      expect(await called(guarded(), { origin, 'x-api-key': service.apiKey })).toEqual(rejected(guarded(), 401));
      expect(await recorded()).toBe(before);
    });

    it('N10 have a cookie that opens no route of applications', async () => {
      const { service, ids } = fixture();
      const { cookie } = admin;
      for (const name of settings.applicationPaths) {
        const [method, path, parts] = requestOf(name, ids);
        const response = await callService(service.baseUrl, '', method, path, {
          ...parts,
          key: null,
          headers: { cookie },
        });
        expect([name, response.status, (response.body as { code: string }).code]).toEqual([name, 401, 'MissingApiKey']);
      }
    });

    it('let viewers read, and change nothing but what is theirs', async () => {
      const before = await recorded();
      const foreign = writes().filter(({ name }) => ![...OWN_AFFAIRS, ...WITHOUT_SESSION].includes(name));
      expect(await calledBy(viewer, foreign)).toEqual(rejected(foreign, 403));
      expect(await recorded()).toBe(before);
      const reads = operations.filter(({ name, method }) => method === 'GET' && !WITHOUT_SESSION.includes(name));
      for (const [name, status] of (await calledBy(viewer, reads)) as [string, number][]) {
        expect([name, [401, 403].includes(status)]).toEqual([name, false]);
      }
    });

    it.each<[string, Record<string, string>]>([
      ['a CSRF token', { 'x-csrf-token': '' }],
      ['the CSRF token of this session', { 'x-csrf-token': 'x'.repeat(43) }],
      ['a CSRF token of its length', { 'x-csrf-token': 'short' }],
    ])('N61 refuse every change without %s', async (_, headers) => {
      const before = await recorded();
      const these = writes().filter(({ name }) => !WITHOUT_SESSION.includes(name));
      expect(await calledBy(admin, these, headers)).toEqual(rejected(these, 403));
      expect(await recorded()).toBe(before);
    });

    it.each<[string, Record<string, string>]>([
      ['from a foreign Origin', { origin: 'https://evil.example' }],
      ['from an Origin that begins as ours does', { origin: 'http://127.0.0.1.evil.example' }],
      ['from the Origin null', { origin: 'null' }],
      ['as text/plain', { 'content-type': 'text/plain' }],
      ['as text/plain that mentions JSON', { 'content-type': 'text/plain; application/json' }],
      ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['as a form with files', { 'content-type': 'multipart/form-data; boundary=x' }],
    ])('N61 refuse every change %s, those without a session too', async (_, headers) => {
      const before = await recorded();
      expect(await calledBy(admin, writes(), headers)).toEqual(rejected(writes(), 403));
      expect(await recorded()).toBe(before);
    });

    it('N61 refuse every change without an Origin', async () => {
      const these = writes().filter(({ name }) => WITHOUT_SESSION.includes(name));
      expect(await called(these, {})).toEqual(rejected(these, 403));
    });

    it('N61 change nothing by GET, whatever method it claims to be', async () => {
      const before = await recorded();
      const headers = { 'x-http-method-override': 'DELETE' };
      const readable = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path));
      for (const { name, path } of writes().filter((write) => !readable.has(write.path))) {
        const response = await admin.call('GET', path, { headers, query: { _method: 'POST' } });
        expect([name, response.status >= 400 && response.status < 500]).toEqual([name, true]);
      }
      expect(await recorded()).toBe(before);
    });

    it('take a token where the document names its scope, and nowhere else', async () => {
      const scopesOf = ({ security }: Operation) => security?.flatMap(({ token = [] }) => token) ?? [];
      const scopes = [...new Set(guarded().flatMap(scopesOf))];
      const { status, body } = await admin.call('POST', '/tokens', { body: { name: 'all', expires: '7', scopes } });
      expect([status, scopes.length]).toEqual([200, 10]);
      const before = await recorded();
      const authorization = `Bearer ${body.token}`;
      for (const [name, code] of (await called(guarded(), { authorization })) as [string, number][]) {
        const isNamed = scopesOf(guarded().find((operation) => operation.name === name)!).length > 0;
        expect([name, ![401, 403].includes(code)]).toEqual([name, isNamed]);
      }
      expect(await recorded()).toBe(before);
      // As a token that may only read.
      const reader = { name: 'reads', expires: '7', scopes: scopes.filter((scope) => scope.endsWith(':read')) };
      const { body: read } = await admin.call('POST', '/tokens', { body: reader });
      const after = await recorded();
      expect(
        await called(
          writes().filter(({ name }) => !WITHOUT_SESSION.includes(name)),
          { authorization: `Bearer ${read.token}` },
        ),
      ).toEqual(
        rejected(
          writes().filter(({ name }) => !WITHOUT_SESSION.includes(name)),
          403,
        ),
      );
      expect(await recorded()).toBe(after);
    });

    it('refuse a parameter of the query that they do not know', async () => {
      const responses: [string, Answer][] = [];
      for (const { name, method, path } of guarded()) {
        const body = method === 'GET' ? undefined : {};
        responses.push([name, await admin.call(method, path, { query: { unknown: '1' }, ...(body && { body }) })]);
      }
      expect(outcomes(responses)).toEqual(guarded().map(({ name }) => [name, 400, 'ValidationFailed']));
    });

    it('are not cached, and set no cookie but at the entrance', async () => {
      const response = await admin.call('GET', '/session');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    });
  });
}

function operationsOf(paths: Record<string, Record<string, Pick<Operation, 'security'>>>): Operation[] {
  return Object.entries(paths).flatMap(([documented, methods]) => {
    const path = documented.replace('/api/operator/v1', '');
    return Object.entries(methods).map(([lower, { security }]) => {
      const method = lower.toUpperCase();
      return {
        name: `${method} ${path}`,
        method,
        security,
        path: path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'provider' ? 'google' : randomUUID())),
      };
    });
  });
}
