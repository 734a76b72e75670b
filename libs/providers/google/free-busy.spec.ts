import { clientOver, refusal } from './testing/google-client.js';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { queryFreeBusy } from './free-busy.js';

const ROUTE = 'POST /calendar/v3/freeBusy';
const at = (text: string) => Date.parse(text);
const DAY = { startMs: at('2026-12-01T00:00:00Z'), endMs: at('2026-12-02T00:00:00Z') };
const request = (calendarIds: string[], window = DAY) => ({ window, timeZone: 'UTC', calendarIds });
const bench = (...responses: [Scripted, ...Scripted[]]) => clientOver(new ScriptedEgress().on(ROUTE, ...responses));

describe('queryFreeBusy (google)', () => {
  it('answers in the order asked, sorted, merged and clipped', async () => {
    const { connection, egress } = bench({
      json: {
        calendars: {
          a: {
            busy: [
              { start: '2026-12-01T13:00:00Z', end: '2026-12-01T14:00:00Z' },
              { start: '2026-11-30T23:00:00Z', end: '2026-12-01T01:00:00+00:00' },
              { start: '2026-12-01T15:00:00+01:00', end: '2026-12-01T16:00:00+01:00' },
            ],
          },
          b: { busy: [] },
        },
      },
    });
    expect(await queryFreeBusy(connection, request(['b', 'a', 'b']))).toEqual([
      { calendarId: 'b', busySlots: [] },
      {
        calendarId: 'a',
        busySlots: [
          { startMs: DAY.startMs, endMs: at('2026-12-01T01:00:00Z') },
          { startMs: at('2026-12-01T13:00:00Z'), endMs: at('2026-12-01T15:00:00Z') },
        ],
      },
      { calendarId: 'b', busySlots: [] },
    ]);
    expect(egress.bodies).toEqual([
      { timeMin: '2026-12-01T00:00:00.000Z', timeMax: '2026-12-02T00:00:00.000Z', items: [{ id: 'b' }, { id: 'a' }] },
    ]);
  });

  it('joins what meets at the seams of the ranges that Google allows', async () => {
    const startMs = at('2026-01-01T00:00:00Z');
    const window = { startMs, endMs: startMs + 100 * 86_400_000 };
    const seam = new Date(startMs + 60 * 86_400_000).toISOString();
    const { connection, egress } = bench(
      { json: { calendars: { a: { busy: [{ start: '2026-03-01T23:00:00Z', end: seam }] } } } },
      { json: { calendars: { a: { busy: [{ start: seam, end: '2026-03-02T02:00:00Z' }] } } } },
    );
    expect(await queryFreeBusy(connection, request(['a'], window))).toEqual([
      { calendarId: 'a', busySlots: [{ startMs: at('2026-03-01T23:00:00Z'), endMs: at('2026-03-02T02:00:00Z') }] },
    ]);
    expect(egress.bodies).toMatchObject([{ timeMin: '2026-01-01T00:00:00.000Z', timeMax: seam }, { timeMin: seam }]);
  });

  it('asks for fifty calendars at a time', async () => {
    const ids = Array.from({ length: 120 }, (_, index) => `c${index}`);
    const { connection, egress } = bench({
      json: { calendars: Object.fromEntries(ids.map((id) => [id, { busy: [] }])) },
    });
    const outcomes = await queryFreeBusy(connection, request(ids));
    expect(outcomes.map(({ calendarId }) => calendarId)).toEqual(ids);
    expect(egress.bodies.map((body) => (body as { items: unknown[] }).items.length)).toEqual([50, 50, 20]);
  });

  it.each<[string, unknown, string]>([
    ['notFound', { errors: [{ domain: 'global', reason: 'notFound' }], busy: [] }, 'NotFound'],
    ['internalError', { errors: [{ reason: 'internalError' }] }, 'ProviderUnavailable'],
    ['a reason nobody knows', { errors: [{ reason: {} }], busy: [] }, 'ProviderUnavailable'],
    ['no answer', undefined, 'ProviderUnavailable'],
    ['no list', { busy: 'free' }, 'ProviderUnavailable'],
    ['a time that is none', { busy: [{ start: 'now', end: 'later' }] }, 'ProviderUnavailable'],
    [
      'an end before its start',
      { busy: [{ start: '2026-12-01T02:00:00Z', end: '2026-12-01T01:00:00Z' }] },
      'ProviderUnavailable',
    ],
    ['a slot that is none', { busy: [null] }, 'ProviderUnavailable'],
  ])('N51 never shows a calendar as free for %s', async (_, a, code) => {
    const { connection } = bench({ json: { calendars: { a, b: { busy: [] } } } });
    expect(await queryFreeBusy(connection, request(['a', 'b']))).toEqual([
      { calendarId: 'a', error: expect.objectContaining({ code }) },
      { calendarId: 'b', busySlots: [] },
    ]);
  });

  it('asks no more about a calendar that failed, and keeps the failure', async () => {
    const window = { startMs: DAY.startMs, endMs: DAY.startMs + 70 * 86_400_000 };
    const { connection, egress } = bench(
      { json: { calendars: { a: { errors: [{ reason: 'notFound' }] }, b: { busy: [] } } } },
      { json: { calendars: { a: { busy: [] }, b: { busy: [] } } } },
    );
    const [a] = await queryFreeBusy(connection, request(['a', 'b'], window));
    expect(a).toEqual({ calendarId: 'a', error: expect.objectContaining({ code: 'NotFound' }) });
    expect(egress.bodies[1]).toMatchObject({ items: [{ id: 'b' }] });
  });

  it.each(['__proto__', 'constructor', '', '..'])('gives no slots for the calendar %j', async (calendarId) => {
    const { connection } = bench({ json: { calendars: {} } });
    expect(await queryFreeBusy(connection, request([calendarId]))).toEqual([{ calendarId, error: expect.any(Error) }]);
  });

  it('fails as a whole when the query does', async () => {
    const { connection } = bench(refusal(403, 'insufficientPermissions'));
    await expect(queryFreeBusy(connection, request(['a']))).rejects.toMatchObject({ status: 403 });
  });

  it('N54 asks Google no hundred times for one request', async () => {
    const { connection, egress } = bench({ json: {} });
    const window = { startMs: 0, endMs: 36_600 * 86_400_000 };
    await expect(queryFreeBusy(connection, request(['a'], window))).rejects.toMatchObject({ code: 'ValidationFailed' });
    expect(egress.requests).toEqual([]);
  });
});
