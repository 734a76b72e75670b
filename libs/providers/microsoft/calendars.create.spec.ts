import { ScriptedEgress } from '#providers/kit/testing/scripted-egress';
import { createCalendar } from './calendars.js';
import { clientOver, refusal, sessionOf } from './testing/microsoft-client.js';

const POST = 'POST /v1.0/me/calendars';
const LIST = 'GET /v1.0/me/calendars';
const WANTED = { name: 'Trips', hexColor: '#1A73E8', timeZone: 'America/New_York' };

/** A mailbox that keeps what it is sent. */
function bench(session = sessionOf()) {
  const kept: Record<string, unknown>[] = [];
  const egress = new (class extends ScriptedEgress {
    override async request(request: Parameters<ScriptedEgress['request']>[0]) {
      if (request.method === 'POST') {
        kept.push({ ...(JSON.parse(String(request.body)) as object), id: 'n', owner: { address: session.email } });
      }
      this.on(LIST, { json: { value: kept } });
      if (kept.length > 0) this.on('GET /v1.0/me/calendars/n', { json: kept[0] });
      return super.request(request);
    }
  })();
  egress.on(POST, { status: 201, json: { id: 'n' } }).on('GET /v1.0/me/mailboxSettings', { json: { timeZone: 'UTC' } });
  return clientOver(egress, session);
}

const posts = ({ egress }: ReturnType<typeof bench>) => egress.lines.filter((line) => line === POST).length;

describe('createCalendar (microsoft)', () => {
  it('keeps colour and zone beside what Graph has for them', async () => {
    const made = bench();
    const { calendar, ignoredFields } = await createCalendar(made.connection, WANTED, {});
    expect([calendar, ignoredFields]).toEqual([expect.objectContaining({ id: 'n', ...WANTED }), []]);
    expect(made.egress.bodies[0]).toEqual({
      name: 'Trips',
      color: 'lightBlue',
      singleValueExtendedProperties: [
        { id: expect.stringMatching(/Name ucHexColor$/), value: '#1A73E8' },
        { id: expect.stringMatching(/Name ucTimeZone$/), value: 'America/New_York' },
      ],
    });
  });

  it('sends a name alone when nothing else is asked for, and never looks for it', async () => {
    const made = bench();
    await createCalendar(made.connection, { name: 'Trips' }, {});
    expect(made.egress.bodies[0]).toEqual({ name: 'Trips' });
    expect(made.egress.lines[0]).toBe(POST);
  });

  it('F23 finds by its key what an earlier try made', async () => {
    const made = bench();
    made.egress.on(POST, 'reset');
    const options = { idempotencyKey: 'k1' };
    await expect(createCalendar(made.connection, WANTED, options)).rejects.toMatchObject({
      code: 'ProviderUnavailable',
    });
    expect((await createCalendar(made.connection, WANTED, options)).calendar).toMatchObject({ id: 'n', ...WANTED });
    expect(posts(made)).toBe(1);
  });

  it('marks other requests, accounts and applications otherwise', async () => {
    const marks = await Promise.all(
      [
        [sessionOf(), 'k1'],
        [sessionOf(), 'k2'],
        [sessionOf({ accountId: 'other' }), 'k1'],
        [sessionOf({ applicationId: 'other' }), 'k1'],
      ].map(async ([session, idempotencyKey]) => {
        const made = bench(session as ReturnType<typeof sessionOf>);
        await createCalendar(made.connection, { name: 'x' }, { idempotencyKey: idempotencyKey as string });
        return JSON.stringify(made.egress.bodies.find((body) => body !== null));
      }),
    );
    expect(new Set(marks).size).toBe(4);
  });

  it('refuses an unknown zone before anything is sent', async () => {
    const { connection, egress } = bench();
    await expect(
      createCalendar(connection, { name: 'x', timeZone: 'Mars/Olympus' }, { idempotencyKey: 'k' }),
    ).rejects.toMatchObject({ code: 'ValidationFailed' });
    expect(egress.requests).toEqual([]);
  });

  it('is asked once only when the answer is lost', async () => {
    const made = bench();
    made.egress.on(POST, refusal(503, 'serviceNotAvailable'));
    await expect(createCalendar(made.connection, WANTED, {})).rejects.toThrow();
    expect(posts(made)).toBe(1);
  });
});
