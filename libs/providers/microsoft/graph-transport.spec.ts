import { inspect } from 'node:util';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import type { GraphCall } from './graph-transport.js';
import { clientOver, refusal, SECRET } from './testing/microsoft-client.js';

const ROUTE = 'GET /v1.0/me/calendars';
const LIST: GraphCall = { method: 'GET', path: '/me/calendars' };
const bench = (...responses: [Scripted, ...Scripted[]]) => clientOver(new ScriptedEgress().on(ROUTE, ...responses));

async function headersOf(call: GraphCall): Promise<Record<string, string>> {
  const { connection, egress } = bench({ json: { value: [] } });
  await connection.call('read', call);
  return egress.requests[0]!.headers!;
}

describe('GraphTransport', () => {
  it('sends the token and what every call carries, and tells nothing about this process', async () => {
    expect(await headersOf(LIST)).toEqual({
      authorization: `Bearer ${SECRET}`,
      accept: 'application/json',
      'user-agent': 'unified-calendar',
      'client-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      prefer: 'IdType="ImmutableId", outlook.timezone="UTC", outlook.body-content-type="text"',
    });
  });

  it.each([
    ['prefer', 'odata.maxpagesize=50', /^IdType="ImmutableId", .*, odata\.maxpagesize=50$/],
    ['Prefer', 'Outlook.TimeZone="A, B"', /^IdType="ImmutableId", Outlook\.TimeZone="A, B", outlook\.body/],
    [
      'prefer',
      'outlook.body-content-type="html", , respond-async',
      /UTC", outlook\.body-content-type="html", respond-async$/,
    ],
  ])('lets %s: %s win over the usual one of that name alone', async (name, value, header) => {
    expect((await headersOf({ ...LIST, headers: { [name]: value } }))['prefer']).toMatch(header);
  });

  it('encodes the values of a query once', async () => {
    const { connection, egress } = bench({ json: {} });
    const $filter = "contains(subject,'a&b=c#d+e 100%')";
    await connection.call('read', { ...LIST, query: { $filter, $top: '5', startDateTime: '2026-12-01T00:00:00Z' } });
    const { searchParams } = new URL(egress.requests[0]!.url);
    expect(Object.fromEntries(searchParams)).toEqual({ $filter, $top: '5', startDateTime: '2026-12-01T00:00:00Z' });
    expect(egress.requests[0]!.url).not.toContain('+');
  });

  it.each(['https://evil.example/v1.0/me', 'a/https://evil.example/x', '//evil.example/me'])(
    'N19 gives the token to no other host: %s',
    async (path) => {
      const egress = new ScriptedEgress();
      const { connection } = clientOver(egress);
      await connection.call('read', { method: 'GET', path }).catch(() => undefined);
      expect(egress.requests.filter(({ url }) => !url.startsWith('https://graph.example/v1.0/'))).toEqual([]);
    },
  );

  it('sends a body as JSON, and a condition', async () => {
    const egress = new ScriptedEgress().on('PATCH /v1.0/me/calendars/a%3D', { json: { id: 'a=' } });
    const { connection } = clientOver(egress);
    const call = { method: 'PATCH', path: '/me/calendars/a%3D', body: { name: 'ü' }, headers: { 'If-Match': 'W/"1"' } };
    expect(await connection.call('idempotent', call as GraphCall)).toEqual({ id: 'a=' });
    expect(egress.bodies).toEqual([{ name: 'ü' }]);
    const {
      authorization,
      accept,
      prefer,
      'user-agent': agent,
      'client-request-id': id,
      ...rest
    } = egress.requests[0]!.headers!;
    expect([authorization, accept, prefer, agent, id]).not.toContain(undefined);
    expect(rest).toEqual({ 'content-type': 'application/json', 'if-match': 'W/"1"' });
  });

  it.each([
    [202, ''],
    [204, ''],
    [205, '{}'],
  ])('takes %d without a body', async (status, text) => {
    expect(await bench({ status, text }).connection.call('read', LIST)).toBeNull();
  });

  it.each<Scripted>([{ text: '<html>' }, { text: '{"value":' }, { text: '[]' }, { text: 'null' }])(
    'takes %j for nonsense',
    async (response) => {
      await expect(bench(response).connection.call('read', LIST)).rejects.toMatchObject({
        code: 'ProviderUnavailable',
      });
    },
  );

  it('follows no redirect', async () => {
    const { connection, egress } = bench({ status: 302, headers: { location: 'https://evil.example/' }, text: '' });
    await expect(connection.call('read', LIST)).rejects.toMatchObject({ name: 'GraphApiError', status: 302 });
    expect(egress.requests).toHaveLength(1);
  });

  it.each<Scripted>([refusal(400, 'ErrorInvalidRequest', `no ${SECRET}`), 'reset', { text: SECRET }])(
    'N55 throws an error without the request in it: %j',
    async (response) => {
      const error = await bench(response)
        .connection.call('read', LIST)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('canary');
    },
  );
});
