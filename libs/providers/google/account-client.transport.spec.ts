import { inspect } from 'node:util';
import { clientOver, refusal, ROOT, SECRET } from './testing/google-client.js';
import { ScriptedEgress } from '#providers/kit/testing/scripted-egress';

const EVENT = 'GET /calendar/v3/calendars/c%401/events/e%2F1';
const get = (egress: ScriptedEgress) => {
  const { connection } = clientOver(egress);
  return connection.call('read', () => connection.api.events.get({ calendarId: 'c@1', eventId: 'e/1' }));
};

describe('Transport', () => {
  it('sends what the official client puts together, to the configured root', async () => {
    const egress = new ScriptedEgress().on('GET /calendar/v3/calendars/a%23b/events', { json: { items: [] } });
    const { connection } = clientOver(egress);
    await connection.call('read', () =>
      connection.api.events.list({ calendarId: 'a#b', sharedExtendedProperty: ['a=1', 'b=2 3'], maxResults: 5 }),
    );
    expect(egress.requests).toEqual([
      expect.objectContaining({
        method: 'GET',
        url: `${ROOT}/calendar/v3/calendars/a%23b/events?sharedExtendedProperty=a%3D1&sharedExtendedProperty=b%3D2%203&maxResults=5`,
        poolKey: 'account',
        maxBytes: 20 * 1024 * 1024,
        timeoutMs: 10_000,
      }),
    ]);
    expect(egress.requests[0]?.body).toBeUndefined();
  });

  it('tells nothing about this process in its headers', async () => {
    const egress = new ScriptedEgress().on(EVENT, { json: {} });
    await get(egress);
    expect(egress.requests[0]?.headers).toEqual({
      authorization: `Bearer ${SECRET}`,
      accept: 'application/json',
      'user-agent': 'unified-calendar (gzip)',
    });
  });

  it('keeps nulls in a patch, and the version that it is for', async () => {
    const egress = new ScriptedEgress().on('PATCH /calendar/v3/calendars/c/events/e', { json: { id: 'e' } });
    const { connection } = clientOver(egress);
    await connection.call('idempotent', () =>
      connection.api.events.patch(
        { calendarId: 'c', eventId: 'e', requestBody: { location: null } },
        { headers: { 'If-Match': '"1"' } },
      ),
    );
    expect(egress.bodies).toEqual([{ location: null }]);
    expect(egress.requests[0]?.headers).toMatchObject({ 'if-match': '"1"', 'content-type': 'application/json' });
  });

  it('takes an empty answer to a delete for done', async () => {
    const egress = new ScriptedEgress().on('DELETE /calendar/v3/calendars/c/events/e', { status: 204 });
    const { connection } = clientOver(egress);
    await connection.call('idempotent', () => connection.api.events.delete({ calendarId: 'c', eventId: 'e' }));
    expect(egress.requests).toHaveLength(1);
  });

  it('takes 204 for done, and no other empty answer to a POST', async () => {
    const STOP = 'POST /calendar/v3/channels/stop';
    const egress = new ScriptedEgress().on(STOP, { status: 204 });
    const { connection } = clientOver(egress);
    const stop = () => connection.call('once', () => connection.api.channels.stop({ requestBody: { id: 'c' } }));
    expect(await stop()).toBeUndefined();
    egress.on(STOP, { text: '' });
    await expect(stop()).rejects.toMatchObject({ code: 'ProviderUnavailable' });
  });

  it('takes no 204 for an event, a page or a change', async () => {
    const EVENTS = '/calendar/v3/calendars/c/events';
    const [LIST, INSERT, PATCH] = [`GET ${EVENTS}`, `POST ${EVENTS}`, `PATCH ${EVENTS}/e`] as const;
    const egress = new ScriptedEgress();
    for (const line of [LIST, INSERT, PATCH]) egress.on(line, { status: 204 });
    const { connection } = clientOver(egress);
    const { events } = connection.api;
    for (const send of [
      () => events.list({ calendarId: 'c' }),
      () => events.insert({ calendarId: 'c', requestBody: {} }),
      () => events.patch({ calendarId: 'c', eventId: 'e', requestBody: {} }),
    ]) {
      await expect(connection.call('once', send as never)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    }
  });

  it('N51 keeps a key named __proto__ to itself', async () => {
    const egress = new ScriptedEgress().on(EVENT, { text: '{"id":"e","__proto__":{"polluted":true}}' });
    expect(await get(egress)).toMatchObject({ id: 'e' });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each<[string, { status?: number; headers?: Record<string, string>; text?: string; json?: unknown }]>([
    ['HTML', { text: '<html>ok</html>' }],
    ['half of a JSON text', { text: '{"id":"e","summ' }],
    ['a list', { json: [] }],
    ['a number', { json: 7 }],
    ['nothing', { text: '' }],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.example/' } }],
  ])('N51 F25 refuses %s in the place of an event', async (_, response) => {
    const egress = new ScriptedEgress().on(EVENT, response);
    await expect(get(egress)).rejects.toMatchObject(
      response.status === 302
        ? { status: 302 }
        : { code: 'ProviderUnavailable', provider: { code: 'response-invalid' } },
    );
    expect(egress.lines.every((line) => line.includes('/calendars/c%401/'))).toBe(true);
  });

  it('refuses to be used outside of a call', async () => {
    const { connection, egress } = clientOver(new ScriptedEgress());
    await expect(connection.api.events.get({ calendarId: 'c', eventId: 'e' })).rejects.toThrow(
      'outside of GoogleAccountClient.call',
    );
    expect(egress.requests).toEqual([]);
  });

  it.each([
    ['GOOGLE_CLOUD_UNIVERSE_DOMAIN', 'evil.example'],
    // A proxy that the client cannot read would fail the call before it reaches the egress.
    ['HTTPS_PROXY', 'no proxy'],
  ])('is not moved elsewhere by %s in the environment', async (name, value) => {
    const before = process.env[name];
    process.env[name] = value;
    try {
      const egress = new ScriptedEgress().on(EVENT, { json: {} });
      await get(egress);
      expect(egress.requests[0]?.url).toContain(ROOT);
    } finally {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    }
  });

  it('keeps calls apart that are under way together', async () => {
    const egress = new ScriptedEgress().on(EVENT, refusal(412, 'conditionNotMet'), { json: { id: 'e' } });
    const { connection } = clientOver(egress);
    const read = (headers: Record<string, string>) =>
      connection.call('read', () => connection.api.events.get({ calendarId: 'c@1', eventId: 'e/1' }, { headers }));
    const [conditional, plain] = await Promise.allSettled([read({ 'If-Match': '"1"' }), read({})]);
    expect(conditional).toMatchObject({ status: 'rejected', reason: { status: 412 } });
    expect(plain).toMatchObject({ status: 'fulfilled', value: { id: 'e' } });
  });

  it.each([
    ['an echo of the token', refusal(400, 'invalid', `Bad header Bearer ${SECRET}`)],
    ['a page', { status: 502, text: `<html>${SECRET}</html>` }],
    ['a lost connection', 'reset' as const],
    ['a late answer', 'timeout' as const],
    ['nonsense', { text: SECRET }],
  ])('N55 leaves no secret in the error of %s', async (_, response) => {
    const error = await get(new ScriptedEgress().on(EVENT, response)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/canary|Bearer ya29/);
  });
});
