import { ScriptedEgress } from '#providers/kit/testing/scripted-egress';
import { GraphLinks, graphRoot } from './graph-links.js';
import { clientOver } from './testing/microsoft-client.js';

const ROOT = 'https://graph.example/v1.0';
const links = new GraphLinks(ROOT);

describe('GraphLinks', () => {
  it('keeps path and query of a link, and leads back to them unchanged', async () => {
    const below = "/me/calendars/AAMk%3D/calendarView/delta?$deltatoken=R0%2fus%3d+x&$expand=a($filter=id%20eq%20'b')";
    const egress = new ScriptedEgress().on('GET /v1.0/me/calendars/AAMk%3D/calendarView/delta', {
      json: { value: [] },
    });
    const { connection } = clientOver(egress);
    const state = connection.stateOf(ROOT + below);
    expect(state).not.toContain('graph.example');
    await connection.follow(state, { prefer: 'odata.maxpagesize=50' });
    const { searchParams } = new URL(egress.requests[0]!.url);
    expect(Object.fromEntries(searchParams)).toEqual(Object.fromEntries(new URL(ROOT + below).searchParams));
    expect(egress.requests[0]!.headers?.['prefer']).toContain('maxpagesize=50');
  });

  it('is not led astray by an address in a query', async () => {
    const egress = new ScriptedEgress().on('GET /v1.0/me/events', { json: { value: [] } });
    const { connection } = clientOver(egress);
    await connection.follow(connection.stateOf(`${ROOT}/me/events?$filter=contains(subject,'https://evil.example/a')`));
    expect(egress.requests[0]!.url.startsWith(`${ROOT}/me/events?`)).toBe(true);
  });

  it.each([
    'https://evil.example/v1.0/me/events',
    'http://graph.example/v1.0/me/events',
    'https://graph.example:8443/v1.0/me/events',
    'https://graph.example@evil.example/v1.0/me/events',
    'https://user:pass@graph.example/v1.0/me/events',
    'https://graph.example/beta/me/events',
    'https://graph.example/v1.0/../beta/me',
    'https://graph.example/v1.0/%2e%2e/beta/me',
    'https://graph.example/v1.0\\..\\beta',
    'https://graph.example/v1.0',
    'https://graph.example/v1.0x/me',
    'https://graph.example/v1.0//evil.example/x',
    'https://graph.example/v1.0/https://evil.example/x',
    'https://graph.example/v1.0/me#x',
    '/v1.0/me/events',
    '//graph.example/v1.0/me',
    'javascript:alert(1)',
    '',
    `${ROOT}/me?${'x'.repeat(20_000)}`,
  ])('N33 follows no link elsewhere: %j', (link) => {
    expect(() => links.stateOf(link)).toThrow(expect.objectContaining({ code: 'ProviderUnavailable' }));
  });

  it.each(['', 'me', '//evil.example/x', '@evil.example/x', '.evil.example/', '/../beta/me', '/me#x', '/a\\..\\..\\b'])(
    'N33 follows no state that it has not given: %j',
    async (state) => {
      const { connection, egress } = clientOver(new ScriptedEgress());
      await expect((async () => connection.follow(state))()).rejects.toMatchObject({ code: 'PageTokenInvalid' });
      expect(egress.requests).toEqual([]);
    },
  );
});

describe('graphRoot', () => {
  it.each(['https://graph.example', 'https://graph.example/', 'https://graph.example/v1.0/'])('takes %s', (url) => {
    expect(graphRoot(url)).toBe(ROOT);
  });
});
