import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { GraphApiError, graphFailure } from './errors.js';
import { queryFreeBusy } from './free-busy.js';
import { clientOver, refusal } from './testing/microsoft-client.js';

const at = (text: string) => Date.parse(text);
const DAY = { startMs: at('2026-12-01T00:00:00Z'), endMs: at('2026-12-02T00:00:00Z') };
const utc = (dateTime: string) => ({ dateTime: `${dateTime}.0000000`, timeZone: 'UTC' });
const row = (start: string, end: string, more: object = {}) => ({
  showAs: 'busy',
  start: utc(start),
  end: utc(end),
  ...more,
});
const VIEW = 'GET /v1.0/me/calendars/a/calendarView';

function bench(...pages: [Scripted, ...Scripted[]]) {
  return clientOver(
    new ScriptedEgress()
      .on('GET /v1.0/me/mailboxSettings', { json: { timeZone: 'Tokyo Standard Time' } })
      .on('POST /v1.0/$batch', {
        json: {
          responses: [
            { id: '0', status: 404, body: { error: { code: 'ErrorItemNotFound' } } },
            { id: '1', status: 200, body: { timeZone: 'Tokyo Standard Time' } },
          ],
        },
      })
      .on('GET /v1.0/me/calendars', { json: { value: [{ id: 'a' }, { id: 'b' }] } })
      .on('GET /v1.0/me/calendars/a', { json: { id: 'a' } })
      .on('GET /v1.0/me/calendars/none', refusal(404, 'ErrorItemNotFound'))
      .on('GET /v1.0/me/calendars/b/calendarView', { json: { value: [] } })
      .on(VIEW, ...pages),
  );
}

function query({ connection }: ReturnType<typeof bench>, calendarIds = ['a'], window = DAY) {
  const toError = (error: unknown) =>
    error instanceof GraphApiError ? graphFailure(error, { kind: 'read', permission: 'see' }) : error;
  return queryFreeBusy(connection, { window, timeZone: 'UTC', calendarIds }, toError);
}

describe('queryFreeBusy (microsoft)', () => {
  it('counts what takes up time, merged and clipped', async () => {
    const over = bench({
      json: {
        value: [
          row('2026-12-01T09:00:00', '2026-12-01T10:00:00', { showAs: 'tentative' }),
          row('2026-12-01T10:00:00', '2026-12-01T11:00:00', { showAs: 'oof' }),
          row('2026-11-30T20:00:00', '2026-12-01T01:00:00', { showAs: 'unknown' }),
          row('2026-12-01T12:00:00', '2026-12-01T13:00:00', { showAs: 'free' }),
          row('2026-12-01T12:00:00', '2026-12-01T13:00:00', { showAs: 'workingElsewhere' }),
          row('2026-12-01T12:00:00', '2026-12-01T13:00:00', { isCancelled: true }),
          row('2026-12-01T12:00:00', '2026-12-01T13:00:00', { responseStatus: { response: 'declined' } }),
          row('2026-12-01T15:00:00', '2026-12-01T16:00:00', { responseStatus: { response: 'notResponded' } }),
        ],
      },
    });
    expect(await query(over)).toEqual([
      {
        calendarId: 'a',
        busySlots: [
          { startMs: DAY.startMs, endMs: at('2026-12-01T01:00:00Z') },
          { startMs: at('2026-12-01T09:00:00Z'), endMs: at('2026-12-01T11:00:00Z') },
          { startMs: at('2026-12-01T15:00:00Z'), endMs: at('2026-12-01T16:00:00Z') },
        ],
      },
    ]);
    const asked = new URL(over.egress.requests.at(-1)!.url).searchParams;
    expect(Object.fromEntries(asked)).toEqual({
      startDateTime: expect.stringContaining('2026-11-30T00:00:00'),
      endDateTime: expect.stringContaining('2026-12-03T00:00:00'),
      $select: 'id,start,end,isAllDay,showAs,isCancelled,responseStatus,type',
      $top: '1000',
    });
  });

  it("counts whole days in the calendar's zone", async () => {
    const day = row('2026-12-02T00:00:00', '2026-12-03T00:00:00', { isAllDay: true });
    expect(await query(bench({ json: { value: [day] } }))).toEqual([
      { calendarId: 'a', busySlots: [{ startMs: at('2026-12-01T15:00:00Z'), endMs: DAY.endMs }] },
    ]);
  });

  it('reads all pages, and long windows piece by piece', async () => {
    const years = { startMs: DAY.startMs, endMs: DAY.startMs + 4_000 * 86_400_000 };
    const over = bench(
      {
        json: {
          value: [row('2026-12-01T01:00:00', '2026-12-01T02:00:00')],
          '@odata.nextLink': 'https://graph.example/v1.0/me/calendars/a/calendarView?$skip=1000',
        },
      },
      { json: { value: [row('2026-12-01T03:00:00', '2026-12-01T04:00:00')] } },
      { json: { value: [] } },
    );
    const [outcome] = await query(over, ['a'], years);
    expect(outcome).toMatchObject({ busySlots: [{}, {}] });
    const views = over.egress.requests.filter(({ url }) => url.includes('startDateTime='));
    const days = views.map(({ url }) => {
      const { searchParams } = new URL(url);
      return (at(searchParams.get('endDateTime')!) - at(searchParams.get('startDateTime')!)) / 86_400_000;
    });
    expect(days).toHaveLength(3);
    expect(Math.max(...days)).toBeLessThanOrEqual(1_825);
  });

  it('tells calendars that cannot be read beside those that can', async () => {
    const [none, b, a] = await query(bench(refusal(403, 'ErrorAccessDenied')), ['none', 'b', 'a']);
    expect(none).toMatchObject({ calendarId: 'none', error: { code: 'NotFound' } });
    expect(b).toEqual({ calendarId: 'b', busySlots: [] });
    expect(a).toMatchObject({ calendarId: 'a', error: { code: 'Forbidden' } });
  });

  it('asks for many calendars together, and for one by itself', async () => {
    const many = bench({ json: { value: [] } });
    await query(many, ['a', 'b']);
    expect(many.egress.lines.filter((line) => /calendars\/.\?/.test(line))).toEqual([]);
    const one = bench({ json: { value: [] } });
    await query(one, ['a']);
    expect(one.egress.lines.filter((line) => /calendars\?/.test(line))).toEqual([]);
  });

  it.each<Scripted>([
    { json: { value: [{ showAs: 'busy' }] } },
    { json: { value: [row('2026-13-01T00:00:00', '2026-12-01T00:00:00')] } },
    { json: { value: 'none' } },
    { json: {} },
  ])('never reads %j as free', async (response) => {
    expect(await query(bench(response))).toEqual([
      { calendarId: 'a', error: expect.objectContaining({ code: 'ProviderUnavailable' }) },
    ]);
  });

  it('fails as a whole when the account is refused', async () => {
    await expect(query(bench(refusal(401, 'InvalidAuthenticationToken')))).rejects.toMatchObject({ status: 401 });
  });
});
