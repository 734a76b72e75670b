import type { FaultAction } from '../../apps/sandbox/src/faults/fault.js';
import { rawRequest } from '../support/raw-http.js';
import { FULL_SCOPES, startSandbox, type Sandbox } from '../support/sandbox.js';

const CLIENT = { clientId: 'cid-1', clientSecret: 'secret-1', redirectUris: ['http://127.0.0.1:9/callback'] };
const ADA = 'ada@example.com';
const GRACE = 'grace@example.com';
const EVENTS = '/calendar/v3/calendars/primary/events';

describe('faults of the sandbox', () => {
  let sandbox: Sandbox;
  let ada: string;
  let grace: string;
  let refreshToken: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    await sandbox.addClient(CLIENT);
    await sandbox.addUser({ email: ADA });
    await sandbox.addUser({ email: GRACE });
    ({ accessToken: ada, refreshToken } = await sandbox.grant(ADA, CLIENT.clientId, FULL_SCOPES));
    ({ accessToken: grace } = await sandbox.grant(GRACE, CLIENT.clientId, FULL_SCOPES));
  });

  beforeEach(async () => {
    await sandbox.clearFaults();
    await sandbox.clearRequests();
  });

  afterAll(async () => {
    await sandbox?.stop();
  });

  const list = (token = ada, init: RequestInit = {}) =>
    fetch(`${sandbox.googleUrl}${EVENTS}`, { ...init, headers: { authorization: `Bearer ${token}` } });
  const insert = (summary: string) =>
    fetch(`${sandbox.googleUrl}${EVENTS}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada}`, 'content-type': 'application/json' },
      body: JSON.stringify({ summary, start: { date: '2026-12-07' }, end: { date: '2026-12-08' } }),
    });
  const titles = async (): Promise<string[]> =>
    (
      await sandbox.act({ email: ADA, methodId: 'calendar.events.list', path: { calendarId: 'primary' } })
    ).body.items.map(({ summary }: { summary: string }) => summary);
  const raw = (path = EVENTS) =>
    rawRequest(Number(new URL(sandbox.googleUrl).port), [
      `GET ${path} HTTP/1.1`,
      'host: x',
      `authorization: Bearer ${ada}`,
    ]);
  const refresh = () =>
    fetch(`${sandbox.googleUrl}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'refresh_token', refresh_token: refreshToken },
        ...{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret },
      }),
    });

  describe('which requests get one', () => {
    const unavailable: FaultAction = { type: 'status', status: 503 };

    it('those of a kind, a method and a user', async () => {
      await sandbox.fault({ kind: 'api', methodId: 'calendar.events.list', email: ADA.toUpperCase() }, unavailable);
      expect((await list(ada)).status).toBe(503);
      expect((await list(grace)).status).toBe(200);
      expect((await insert('spared')).status).toBe(200);
      expect((await refresh()).status).toBe(200);
    });

    it('so many of them, after so many others, counted', async () => {
      const faultId = await sandbox.fault({ kind: 'api' }, unavailable, { times: 2, skip: 1 });
      const statuses = [];
      for (let count = 0; count < 5; count += 1) statuses.push((await list()).status);
      expect(statuses).toEqual([200, 503, 503, 200, 200]);
      expect(await sandbox.faults()).toEqual([
        { faultId, match: { kind: 'api' }, action: unavailable, times: 2, skip: 1, fired: 2 },
      ]);
    });

    it('each but one: the first that matches', async () => {
      await sandbox.fault({ kind: 'api' }, unavailable, { times: 1 });
      await sandbox.fault({}, { type: 'status', status: 500 });
      expect([(await list()).status, (await list()).status]).toEqual([503, 500]);
    });

    it('none once the faults are cleared', async () => {
      await sandbox.fault({}, unavailable);
      await sandbox.clearFaults();
      expect((await list()).status).toBe(200);
    });

    it('the refresh of one user', async () => {
      await sandbox.fault({ kind: 'token', email: GRACE }, unavailable);
      expect((await refresh()).status).toBe(200);
      await sandbox.fault({ kind: 'token', email: ADA }, unavailable);
      expect((await refresh()).status).toBe(503);
    });
  });

  describe('F24 F25 status', () => {
    it.each([
      [403, 'rateLimitExceeded', 'usageLimits', 'Rate Limit Exceeded'],
      [403, 'quotaExceeded', 'usageLimits', 'Calendar usage limits exceeded.'],
      [429, undefined, 'usageLimits', 'Rate Limit Exceeded'],
      [503, undefined, 'global', 'Backend Error'],
    ])('%s %s in the words of the API', async (status, reason, domain, message) => {
      const headers = { 'Retry-After': '7' };
      await sandbox.fault({ kind: 'api' }, { type: 'status', status, reason, headers });
      const response = await list();
      expect(response.status).toBe(status);
      expect(response.headers.get('retry-after')).toBe('7');
      expect(await response.json()).toMatchObject({ error: { code: status, message, errors: [{ domain, message }] } });
    });

    it('in the words of the token endpoint', async () => {
      await sandbox.fault({ kind: 'token' }, { type: 'status', status: 400, reason: 'admin_policy_enforced' });
      const response = await refresh();
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: 'admin_policy_enforced', error_description: 'Bad Request' });
    });

    it.each([
      ['JSON', { error: 'invalid_grant', error_subtype: 'invalid_rapt' }],
      ['text', 'over capacity'],
    ])('with a body of any %s', async (_, body) => {
      await sandbox.fault({ kind: 'api' }, { type: 'status', status: 400, body });
      const text = await (await list()).text();
      expect(text).toBe(typeof body === 'string' ? body : JSON.stringify(body));
    });

    it('without carrying the request out', async () => {
      await sandbox.fault({ methodId: 'calendar.events.insert' }, { type: 'status', status: 500 });
      await insert('not there');
      expect(await titles()).not.toContain('not there');
    });
  });

  it('html: the page of a front end that is alone', async () => {
    await sandbox.fault({}, { type: 'html' });
    const response = await list();
    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await response.text()).toContain('<!doctype html>');
  });

  it('delay: the good answer, later', async () => {
    await sandbox.fault({}, { type: 'delay', ms: 300 });
    const began = performance.now();
    expect((await list()).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThanOrEqual(200);
  });

  it('F26 hang: no answer for as long as the client waits', async () => {
    await sandbox.fault({}, { type: 'hang' });
    await expect(list(ada, { signal: AbortSignal.timeout(300) })).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await sandbox.requests()).toMatchObject([{ methodId: 'calendar.events.list', user: ADA, status: null }]);
  });

  it.each(['reset', 'lose-response'] as const)('F26 %s: not one byte', async (type) => {
    await sandbox.fault({ kind: 'api' }, { type });
    expect(await raw()).toEqual({ status: 0, headers: {}, body: '' });
    await expect(list()).rejects.toThrow();
  });

  it('F23 lose-response: what was asked for is done, once', async () => {
    await sandbox.fault({ methodId: 'calendar.events.insert' }, { type: 'lose-response' }, { times: 1 });
    await expect(insert('done all the same')).rejects.toThrow();
    expect(await titles()).toContain('done all the same');
    await sandbox.fault({ methodId: 'calendar.events.insert' }, { type: 'reset' }, { times: 1 });
    await expect(insert('never begun')).rejects.toThrow();
    expect(await titles()).not.toContain('never begun');
  });

  it.each(['reset-mid-body', 'truncate'] as const)('F26 %s: half of what was announced', async (type) => {
    await sandbox.fault({ kind: 'api' }, { type });
    const { status, headers, body } = await raw();
    expect(status).toBe(200);
    expect(Buffer.byteLength(body)).toBe(Math.floor(Number(headers['content-length']) / 2));
    await expect(list().then((response) => response.text())).rejects.toThrow();
  });

  it('F26 drip: everything, slowly', async () => {
    const certs = await (await fetch(`${sandbox.googleUrl}/oauth2/v3/certs`)).text();
    await sandbox.fault({ kind: 'certs' }, { type: 'drip', bytesPerSecond: certs.length });
    const began = performance.now();
    expect(await (await fetch(`${sandbox.googleUrl}/oauth2/v3/certs`)).text()).toBe(certs);
    expect(performance.now() - began).toBeGreaterThan(600);
  });

  it('F25 garbage: what calls itself JSON and is none', async () => {
    await sandbox.fault({ kind: 'api' }, { type: 'garbage' });
    const response = await list();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    await expect(response.json()).rejects.toMatchObject({ name: 'SyntaxError' });
  });

  it('N51 huge: the answer behind as much as is wanted', async () => {
    await sandbox.fault({ kind: 'api' }, { type: 'huge', bytes: 3_000_000 });
    const text = await (await list()).text();
    expect(text.length).toBeGreaterThan(3_000_000);
    expect(JSON.parse(text)).toMatchObject({ kind: 'calendar#events' });
  });

  it('N51 replace: another body, under the status and after the work of the good one', async () => {
    await sandbox.fault({ methodId: 'calendar.events.insert' }, { type: 'replace', body: { id: 7 } });
    const response = await insert('replaced');
    expect([response.status, await response.json()]).toEqual([200, { id: 7 }]);
    expect(await titles()).toContain('replaced');
  });

  it('answers everybody else meanwhile', async () => {
    await sandbox.fault({ email: ADA }, { type: 'hang' });
    const waiting = list(ada, { signal: AbortSignal.timeout(2_000) });
    expect((await list(grace)).status).toBe(200);
    await expect(waiting).rejects.toThrow();
  });
});
