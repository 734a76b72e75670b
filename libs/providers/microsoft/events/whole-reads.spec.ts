import { GraphApiError } from '../errors.js';
import { toCalendarEvent } from './event-mapper.js';
import { MAPPED_FIELDS, readInstance, readOutlookEvent } from './outlook-event.js';
import { WholeReads } from './whole-reads.js';

const rejected = (status: number) => () => Promise.reject(new GraphApiError(status, 'ErrorInvalidRequest', '', null));

describe('WholeReads', () => {
  it('falls back to parts after a rejection, and remembers it for an hour', async () => {
    let nowMs = 0;
    const reads = new WholeReads(() => nowMs);
    const whole = jest.fn(rejected(400));
    expect(await reads.orParts<string>(whole, async () => 'parts')).toBe('parts');
    expect(await reads.orParts<string>(whole, async () => 'parts')).toBe('parts');
    expect(whole).toHaveBeenCalledTimes(1);
    nowMs = 3_600_000;
    expect(await reads.orParts(async () => 'whole', rejected(500))).toBe('whole');
  });

  it('remembers no rejection of an event that cannot be read in parts either', async () => {
    const reads = new WholeReads(() => 0);
    await expect(reads.orParts(rejected(400), rejected(400))).rejects.toMatchObject({ status: 400 });
    expect(await reads.orParts(async () => 'whole', rejected(400))).toBe('whole');
  });

  it('passes other errors on', async () => {
    const reads = new WholeReads(() => 0);
    await expect(reads.orParts(rejected(503), async () => 'parts')).rejects.toMatchObject({ status: 503 });
  });
});

describe('MAPPED_FIELDS', () => {
  it('names every field that is read of an event', () => {
    const seen = new Set<string>();
    const noting = (row: object) =>
      new Proxy(row, {
        get(target, field) {
          if (typeof field === 'string' && !field.startsWith('@')) seen.add(field);
          return Reflect.get(target, field) as unknown;
        },
      });
    const times = {
      start: { dateTime: '2027-03-22T08:00:00', timeZone: 'UTC' },
      end: { dateTime: '2027-03-22T09:00:00', timeZone: 'UTC' },
    };
    const calendar = { timeZone: 'UTC', ownAddresses: new Set<string>() };
    const pattern = { type: 'daily', interval: 1 };
    const recurrence = { pattern, range: { type: 'noEnd', startDate: '2027-03-22', recurrenceTimeZone: 'UTC' } };
    const series = readOutlookEvent(noting({ id: 'S', type: 'seriesMaster', recurrence, ...times }), 'UTC');
    const row = { id: 'I', type: 'exception', seriesMasterId: 'S', originalStart: '2027-03-22T08:00:00Z', ...times };
    const instance = readInstance(noting(row), series, 'UTC');
    for (const event of [series, instance!]) toCalendarEvent(event, calendar);
    seen.delete('singleValueExtendedProperties');
    expect([...seen].filter((field) => !(MAPPED_FIELDS as readonly string[]).includes(field))).toEqual([]);
    expect(seen.size).toBeGreaterThan(25);
  });
});
