import fc from 'fast-check';
import { checkBody, findProblem } from './body.js';
import { findMethod, schemaNamed } from './discovery.js';
import { IncorrectRequest } from './google-error.js';

const problemOf = (schema: string, value: unknown, allowsNull = false) =>
  findProblem(schemaNamed(schema), value, { at: '', methodId: null, allowsNull });

describe('findProblem', () => {
  it.each<[string, string, unknown]>([
    ['64-bit integers as strings and as numbers', 'Channel', { expiration: '1795804800000' }],
    ['64-bit integers as numbers', 'Channel', { expiration: 1795804800000 }],
    ['any names where a map is', 'Event', { extendedProperties: { shared: { anything: 'x' } } }],
    ['lists of schemas', 'Event', { attendees: [{ email: 'a@example.com', optional: true, additionalGuests: 2 }] }],
    ['times without an offset', 'Event', { start: { dateTime: '2026-12-01T00:00:00', timeZone: 'UTC' } }],
  ])('allows %s', (_, schema, value) => {
    expect(problemOf(schema, value)).toBeNull();
  });

  it.each<[string, unknown, unknown]>([
    ['Channel', { expiration: 'soon' }, { kind: 'type', at: 'expiration', wanted: 'int64' }],
    ['Channel', { expiration: [1] }, { kind: 'type', at: 'expiration', wanted: 'int64' }],
    ['Event', { start: { date: '2026-02-30' } }, { kind: 'type', at: 'start.date', wanted: 'date' }],
    ['Event', { start: { dateTime: 'noon' } }, { kind: 'type', at: 'start.dateTime', wanted: 'date-time' }],
    ['Event', { sequence: 1.5 }, { kind: 'type', at: 'sequence', wanted: 'int32' }],
    ['Event', { sequence: 2 ** 31 }, { kind: 'type', at: 'sequence', wanted: 'int32' }],
    ['Event', { guestsCanModify: 'true' }, { kind: 'type', at: 'guestsCanModify', wanted: 'boolean' }],
    ['Event', { recurrence: ['RRULE:X', 1] }, { kind: 'type', at: 'recurrence[1]', wanted: 'string' }],
    ['Event', { attendees: [{ toString: 'x' }] }, { kind: 'unknown', at: 'attendees[0].toString', name: 'toString' }],
    ['Event', null, { kind: 'type', at: '', wanted: 'object' }],
  ])('tells what is wrong with a %s: %j', (schema, value, problem) => {
    expect(problemOf(schema, value)).toEqual(problem);
  });

  it('allows null to clear a property or a key, not to be an item of a list', () => {
    const cleared = { location: null, extendedProperties: { private: { key: null } }, attendees: null };
    expect(problemOf('Event', cleared, true)).toBeNull();
    expect(problemOf('Event', { location: null })).toMatchObject({ at: 'location' });
    expect(problemOf('Event', { recurrence: [null] }, true)).toMatchObject({ at: 'recurrence[0]' });
    expect(problemOf('Event', { attendees: [{ comment: null }] }, true)).toMatchObject({ at: 'attendees[0].comment' });
  });
});

describe('checkBody', () => {
  const insert = findMethod('calendar.events.insert')!;

  it('wants what the discovery document says a method must have', () => {
    expect(() => checkBody(insert, { start: {} })).toThrow(
      expect.objectContaining({ violation: 'the body lacks end', status: 400 }),
    );
    expect(() => checkBody(findMethod('calendar.events.patch')!, {})).not.toThrow();
    expect(() => checkBody(findMethod('calendar.acl.insert')!, { role: 'reader', scope: {} })).toThrow(
      expect.objectContaining({ violation: 'the body lacks scope.type' }),
    );
  });

  it('says where an unknown name is, in the words of Google', () => {
    const body = { start: {}, end: {}, attendees: [{ mail: 'x' }] };
    expect(() => checkBody(insert, body)).toThrow(
      `Invalid JSON payload received. Unknown name "mail" at 'event.attendees[0]': Cannot find field.`,
    );
  });

  it('refuses or takes any JSON, and fails on none', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          checkBody(insert, value);
        } catch (error) {
          expect(error).toBeInstanceOf(IncorrectRequest);
        }
      }),
    );
  });
});
