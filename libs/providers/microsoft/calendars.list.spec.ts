import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { listCalendars } from './calendars.js';
import { clientOver, refusal } from './testing/microsoft-client.js';

const ROUTE = 'GET /v1.0/me/calendars';
const ALL = { pageSize: 100, page: null, sync: null };
const ROOT = 'https://graph.example/v1.0';

function bench(...pages: [Scripted, ...Scripted[]]) {
  return clientOver(
    new ScriptedEgress()
      .on(ROUTE, ...pages)
      .on('GET /v1.0/me/mailboxSettings', { json: { timeZone: 'Romance Standard Time' } })
      .on('GET /v1.0/me/calendar', {
        json: { id: 'p', isDefaultCalendar: true, owner: { address: 'ida@smtp.example' } },
      }),
  );
}

describe('listCalendars (microsoft)', () => {
  it('reads all pages of Graph, shows each calendar once, the default one first', async () => {
    const { connection, egress } = bench(
      {
        json: {
          value: [
            { id: 'b', name: 'B' },
            { id: 'a', name: 'A' },
          ],
          '@odata.nextLink': `${ROOT}/me/calendars?$top=100&$skip=100`,
        },
      },
      {
        json: {
          value: [
            { id: 'z', name: 'Z', isDefaultCalendar: true },
            { id: 'a', name: 'A' },
          ],
        },
      },
    );
    const { items } = await listCalendars(connection, ALL);
    expect(items.map(({ id }) => id)).toEqual(['z', 'a', 'b']);
    expect(items[0]).toMatchObject({ timeZone: 'Europe/Paris' });
    const asked = new URL(egress.requests[0]!.url).searchParams;
    expect([asked.get('$top'), asked.get('$expand')]).toEqual(['100', expect.stringContaining('ucTimeZone')]);
    await connection.calendar('a');
    expect(egress.lines.filter((line) => line.startsWith(`${ROUTE}/`))).toEqual([]);
  });

  it('knows an account by the owner of its default calendar, too', async () => {
    const { connection } = bench({ json: { value: [{ id: 'a', owner: { address: 'IDA@smtp.example' } }] } });
    expect((await listCalendars(connection, ALL)).items).toEqual([expect.objectContaining({ isShared: false })]);
  });

  it.each<Scripted>([
    { json: {} },
    { json: { value: {} } },
    { json: { value: [null] } },
    { json: { value: [], '@odata.nextLink': { more: true } } },
    { json: { value: [], '@odata.nextLink': 'https://evil.example/v1.0/me/calendars' } },
    { json: { value: [{ id: 'a' }], '@odata.nextLink': `${ROOT}/me/calendars?$skip=1` } },
  ])('takes %j, over and over, for no list', async (response) => {
    const { connection, egress } = bench(response);
    await expect(listCalendars(connection, ALL)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(egress.requests.length).toBeLessThanOrEqual(20);
    expect(egress.requests.every(({ url }) => url.startsWith(ROOT))).toBe(true);
  });

  it('passes refusals on', async () => {
    await expect(listCalendars(bench(refusal(401, 'x')).connection, ALL)).rejects.toMatchObject({ status: 401 });
  });
});
