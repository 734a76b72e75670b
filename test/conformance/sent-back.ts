import fc from 'fast-check';
import type { Fixture } from './subject.js';

/** Each run is some requests, and a Radicale takes its time for them. */
const RUNS = { numRuns: 8, seed: 20_271_122, endOnFailure: true };

const BERLIN = 'Europe/Berlin';
/** Fields that no change of a caller's leaves alone. */
const VERSION = ['etag', 'updatedAt'];

const text = fc.stringMatching(/^[A-Za-z0-9 äß,;\\"'&<>-]{1,40}$/).map((value) => `${value.trim() || 'x'} 🎉`);
const localPart = fc.oneof(fc.stringMatching(/^[a-z][a-z0-9]{2,10}$/), fc.constant('l'.repeat(64)));
const guest = fc.record(
  {
    email: localPart.map((local) => `${local}@${'long-domain.'.repeat(10)}example`),
    name: fc.oneof(text, fc.constant('n'.repeat(255)), fc.constant(null)),
  },
  { requiredKeys: ['email'] },
);
const day = fc.integer({ min: 10, max: 25 });
const times = fc.oneof(
  day.map((date) => ({
    start: { dateTime: `2027-03-${date}T09:00:00`, timeZone: BERLIN },
    end: { dateTime: `2027-03-${date}T10:30:00`, timeZone: BERLIN },
  })),
  day.map((date) => ({ start: { dateTime: `2027-03-${date}T09:00:00Z` } })),
  day.map((date) => ({ start: { date: `2027-03-${date}` }, end: { date: `2027-03-${date + 2}` } })),
);
const color = fc.oneof(
  fc.constant({}),
  fc.integer({ min: 1, max: 11 }).map((id) => ({ colorId: String(id) })),
  fc.constantFrom('#1A73E8', '#1a73e8', '#D50000').map((customColor) => ({ customColor })),
  fc.constant({ colorId: '7', customColor: '#AbCdEf' }),
);

/** An event of any kind that every provider takes. */
const anyEvent = fc
  .record({
    title: text,
    times,
    color,
    rest: fc.record(
      {
        description: fc.oneof(text, fc.constant('Line one\nLine two')),
        location: text,
        visibility: fc.constantFrom('default', 'private', 'confidential'),
        transparency: fc.constantFrom('opaque', 'transparent'),
        attendees: fc.uniqueArray(guest, { minLength: 1, maxLength: 4, selector: ({ email }) => email }),
        publicExtendedProperties: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), text, { maxKeys: 3 }),
        privateExtendedProperties: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), text, { maxKeys: 3 }),
        recurrence: fc.constantFrom(['RRULE:FREQ=DAILY;COUNT=3'], ['RRULE:FREQ=WEEKLY;COUNT=4'], null),
        reminders: fc.constantFrom(
          { useDefault: false, overrides: [{ method: 'popup', minutes: 15 }] },
          { useDefault: false, isReminderOn: false },
        ),
      },
      { requiredKeys: [] },
    ),
  })
  .map((event) => ({ title: event.title, ...event.times, ...event.color, ...event.rest }));

const change = fc.constantFrom(
  ['title', 'Another title'] as const,
  ['description', 'Another text'] as const,
  ['location', 'Another place'] as const,
);

export function sentBackConforms(fixture: () => Fixture): void {
  /** GET, one field changed, PUT of the whole. @returns the event before and after */
  const sendBack = async (id: string, [field, value]: readonly [string, unknown]) => {
    const { call, calendarId } = fixture();
    const path = `/${calendarId}/${id}`;
    const before = await call('GET', 'events', path);
    expect(before.status).toBe(200);
    const put = await call('PUT', 'events', path, { body: { ...before.body, [field]: value } });
    expect({ sent: before.body, status: put.status, answer: put.body }).toMatchObject({ status: 200 });
    const after = await call('GET', 'events', path);
    const rest = (event: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(event).filter(([name]) => !VERSION.includes(name)));
    expect(rest(after.body)).toEqual({ ...rest(before.body), [field]: value });
    expect(rest(put.body)).toEqual(rest(after.body));
    return after.body;
  };

  describe('what was answered, sent back', () => {
    it('changes nothing but the one field that was changed, for events of every kind', async () => {
      await fc.assert(
        fc.asyncProperty(anyEvent, change, async (event, changed) => {
          const { call, calendarId } = fixture();
          const created = await call('POST', 'events', `/${calendarId}`, { body: event });
          // What a server does not take cannot come back from it.
          fc.pre(created.body.code !== 'ProviderRejected');
          expect(created).toMatchObject({ status: 200 });
          await sendBack(created.body.id, changed);
          await call('DELETE', 'events', `/${calendarId}/${created.body.id}`);
        }),
        RUNS,
      );
    });

    it('changes nothing else of an instance', async () => {
      const { create } = fixture();
      const guests = [{ email: `${'l'.repeat(64)}@example.test`, name: 'Long' }];
      const series = await create({
        title: 'Daily',
        start: { dateTime: '2027-03-22T09:00:00', timeZone: BERLIN },
        recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
        attendees: guests,
        customColor: '#1A73E8',
      });
      const changed = await sendBack(`${series.id}_20270323T080000Z`, ['isException', true]);
      expect(changed).toMatchObject({ recurringEventId: series.id });
      await sendBack(series.id, ['title', 'Every day']);
    });

    it('is no change of what another client wrote, which callers could not write', async () => {
      const { subject, calendarId, call } = fixture();
      const iCalUid = await subject.elsewhere.strange(calendarId, 'Strange');
      const found = await call('GET', 'events', `/${calendarId}`, { query: { iCalUid } });
      expect(found.body.data).toHaveLength(1);
      const [{ id }] = found.body.data;
      await sendBack(id, ['title', 'Stranger']);
      await sendBack(id, ['description', 'Another text']);
      const event = await sendBack(id, ['location', 'Another place']);
      const [first, ...others] = event.attendees;
      if (first === undefined) return;
      // Who is taken off the list goes, and nobody else.
      const fewer = await call('PUT', 'events', `/${calendarId}/${id}`, { body: { ...event, attendees: others } });
      expect([fewer.status, fewer.body.attendees]).toEqual([200, others]);
    });

    it('takes the colour that differs from what the event has', async () => {
      const { create, call, calendarId } = fixture();
      const { id } = await create({
        title: 'Coloured',
        start: { dateTime: '2027-03-22T09:00:00', timeZone: BERLIN },
        colorId: '7',
        customColor: '#AbCdEf',
      });
      const path = `/${calendarId}/${id}`;
      const { body: before } = await call('GET', 'events', path);
      expect(before).toMatchObject({ colorId: '7', customColor: '#abcdef' });
      const same = await call('PUT', 'events', path, { body: { ...before, customColor: '#ABCDEF' } });
      expect(same.body).toMatchObject({ colorId: '7', customColor: '#abcdef' });
      const other = await call('PUT', 'events', path, { body: { ...before, colorId: '5' } });
      expect(other.body.colorId).toBe('5');
      const exact = await call('PUT', 'events', path, { body: { ...other.body, customColor: '#123456' } });
      expect(exact.body.customColor).toBe('#123456');
    });
  });
}
