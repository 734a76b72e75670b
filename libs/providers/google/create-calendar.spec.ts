import type { JsonObject } from '#domain/system';
import { clientOver, refusal, sessionOf, type GoogleFixture } from './testing/google-client.js';
import { ScriptedEgress } from '#providers/kit/testing/scripted-egress';
import { createCalendar } from './create-calendar.js';

const INSERT = 'POST /calendar/v3/calendars';
const LIST = 'GET /calendar/v3/users/me/calendarList';
const ENTRY = 'GET /calendar/v3/users/me/calendarList/new%40x';
const PATCH_ENTRY = 'PATCH /calendar/v3/users/me/calendarList/new%40x';
const PATCH_CALENDAR = 'PATCH /calendar/v3/calendars/new%40x';

const MADE = {
  id: 'new@x',
  summary: 'Trips',
  timeZone: 'America/New_York',
  accessRole: 'owner',
  backgroundColor: '#1a73e8',
};
const WANTED = { name: 'Trips', hexColor: '#1A73E8', timeZone: 'America/New_York' };

/** @param account keeps the state of the account over tries */
function bench(account: { state: JsonObject | null } = { state: null }): GoogleFixture {
  const session = sessionOf({
    providerState: account.state,
    saveProviderState: async (state) => void (account.state = state),
  });
  return clientOver(
    new ScriptedEgress()
      .on(INSERT, { json: { id: 'new@x', summary: 'Trips' } })
      .on(LIST, { json: { items: [] } })
      .on(ENTRY, { json: MADE })
      .on(PATCH_ENTRY, { json: MADE })
      .on(PATCH_CALENDAR, { json: MADE }),
    session,
  );
}

const count = ({ egress }: GoogleFixture, route: string) =>
  egress.lines.filter((line) => line.split('?')[0] === route).length;

describe('createCalendar (google)', () => {
  it('makes it, then gives it its colour', async () => {
    const made = bench();
    const { calendar, ignoredFields } = await createCalendar(made.connection, WANTED, {});
    expect(made.egress.lines).toEqual([INSERT, `${PATCH_ENTRY}?colorRgbFormat=true`]);
    expect(made.egress.bodies[0]).toEqual({ summary: 'Trips', timeZone: 'America/New_York' });
    expect(calendar).toMatchObject({ id: 'new@x', ...WANTED, readOnly: false, isShared: false });
    expect(ignoredFields).toEqual([]);
  });

  it('reads it from the list when no colour was asked for', async () => {
    const made = bench();
    await createCalendar(made.connection, { name: 'Trips' }, {});
    expect(made.egress.lines).toEqual([INSERT, ENTRY]);
  });

  it('waits for it to appear, once', async () => {
    const made = bench();
    made.egress.on(PATCH_ENTRY, refusal(404, 'notFound'), { json: MADE });
    expect((await createCalendar(made.connection, WANTED, {})).calendar.id).toBe('new@x');
    const never = bench();
    never.egress.on(ENTRY, refusal(404, 'notFound'));
    await expect(createCalendar(never.connection, { name: 'Trips' }, {})).rejects.toMatchObject({ code: 'NotFound' });
    expect(count(never, ENTRY)).toBe(2);
  });

  it.each([refusal(403, 'forbidden'), refusal(500, 'backendError'), 'reset' as const])(
    'answers with the calendar when its colour fails, and names the colour',
    async (failure) => {
      const made = bench();
      made.egress.on(PATCH_ENTRY, failure).on(ENTRY, { json: { ...MADE, backgroundColor: '#000000' } });
      const { calendar, ignoredFields } = await createCalendar(made.connection, WANTED, {});
      expect(calendar.id).toBe('new@x');
      expect(ignoredFields).toEqual(['hexColor']);
      expect(count(made, INSERT)).toBe(1);
    },
  );

  it('does not repeat an insert whose outcome is unclear', async () => {
    const unclear = bench();
    unclear.egress.on(INSERT, 'reset');
    await expect(createCalendar(unclear.connection, WANTED, {})).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(count(unclear, INSERT)).toBe(1);
  });

  it('F23 finds the calendar of an earlier try by its mark, and takes the mark off', async () => {
    const first = bench();
    first.egress.on(INSERT, 'reset');
    await expect(createCalendar(first.connection, WANTED, { idempotencyKey: 'k1' })).rejects.toThrow();
    const { description } = first.egress.bodies[1] as { description: string };
    expect(description).toMatch(/^Being set up \([0-9a-f]{32}\)$/);

    const again = bench();
    again.egress.on(
      LIST,
      { json: { items: [{ id: 'other@x', description: 'Being set up' }], nextPageToken: 'P2' } },
      { json: { items: [{ id: 'new@x', description }] } },
    );
    const { calendar } = await createCalendar(again.connection, WANTED, { idempotencyKey: 'k1' });
    expect(calendar).toMatchObject({ id: 'new@x', name: 'Trips' });
    expect(count(again, INSERT)).toBe(0);
    expect(again.egress.lines.at(-1)).toBe(PATCH_CALENDAR);
    expect(again.egress.bodies.at(-1)).toEqual({ description: null });
  });

  it('F23 finds the calendar of an earlier try that lost the answer after the mark was taken off', async () => {
    const account = { state: { other: true } };
    const first = bench(account);
    first.egress.on(PATCH_CALENDAR, 'reset');
    await expect(createCalendar(first.connection, WANTED, { idempotencyKey: 'k1' })).rejects.toThrow();

    const again = bench(account);
    const { calendar } = await createCalendar(again.connection, WANTED, { idempotencyKey: 'k1' });
    expect([calendar.id, count(again, INSERT), count(again, LIST)]).toEqual(['new@x', 0, 0]);
    expect(again.egress.lines.at(-1)).toBe(PATCH_CALENDAR);
    expect(account.state.other).toBe(true);
  });

  it('remembers the newest calendars alone, and takes the mark off no earlier', async () => {
    const account = { state: null };
    for (let made = 0; made < 60; made += 1) {
      const { connection } = bench(account);
      await createCalendar(connection, { name: 'Trips' }, { idempotencyKey: `k${made}` });
    }
    const lately = bench(account);
    await createCalendar(lately.connection, { name: 'Trips' }, { idempotencyKey: 'k10' });
    expect(count(lately, INSERT)).toBe(0);
    const longAgo = bench(account);
    await createCalendar(longAgo.connection, { name: 'Trips' }, { idempotencyKey: 'k9' });
    expect(count(longAgo, INSERT)).toBe(1);

    const unsaved = clientOver(
      longAgo.egress,
      sessionOf({ saveProviderState: () => Promise.reject(new Error('the database is away')) }),
    );
    const before = count(longAgo, PATCH_CALENDAR);
    await expect(createCalendar(unsaved.connection, WANTED, { idempotencyKey: 'k99' })).rejects.toThrow('away');
    expect(count(longAgo, PATCH_CALENDAR)).toBe(before);
  });

  it('marks other requests otherwise', async () => {
    const marks = await Promise.all(
      ['k1', 'k2'].map(async (idempotencyKey) => {
        const made = bench();
        await createCalendar(made.connection, WANTED, { idempotencyKey });
        return made.egress.bodies.find((body) => (body as { summary?: string } | null)?.summary) as object;
      }),
    );
    expect(marks[0]).not.toEqual(marks[1]);
  });

  it('leaves the mark to the next try when it cannot be taken off', async () => {
    const made = bench();
    made.egress.on(PATCH_CALENDAR, refusal(500, 'backendError'));
    await expect(createCalendar(made.connection, WANTED, { idempotencyKey: 'k1' })).rejects.toMatchObject({
      status: 500,
    });
  });

  it('searches no list without end', async () => {
    const made = bench();
    made.egress.on(LIST, { json: { items: [], nextPageToken: 'again' } });
    await createCalendar(made.connection, { name: 'Trips' }, { idempotencyKey: 'k1' });
    expect(count(made, LIST)).toBe(20);
  });
});
