import { EventReader } from './event-reader.js';
import { EventWriter } from './event-writer.js';
import { fixture, lineChanges, objectOf, READING, WRITING } from '../testing/corpus.js';
import { allExpanded } from '../testing/read-events.js';

const reader = new EventReader();
const writer = new EventWriter();

const SERIES = objectOf(
  'DTSTART;TZID=Europe/Berlin:20260105T090000',
  'DTEND;TZID=Europe/Berlin:20260105T100000',
  'RRULE:FREQ=WEEKLY;COUNT=3',
  'SEQUENCE:4',
  'ORGANIZER:mailto:ravi.stone@example.com',
  'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;X-NOTE="a;b":mailto:Alice@example.com',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:TEST',
  'DTSTAMP:20260101T000000Z',
  'RECURRENCE-ID;TZID=Europe/Berlin:20260112T090000',
  'DTSTART;TZID=Europe/Berlin:20260112T110000',
  'DTEND;TZID=Europe/Berlin:20260112T120000',
  'ORGANIZER:mailto:ravi.stone@example.com',
  'ATTENDEE;PARTSTAT=ACCEPTED:mailto:alice@example.com',
);

describe('respond', () => {
  it.each([
    ['accepted', 'ACCEPTED'],
    ['declined', 'DECLINED'],
    ['tentative', 'TENTATIVE'],
  ] as const)('%s changes our PARTSTAT and nothing else', (status, partstat) => {
    const body = writer.respond(fixture('google-invitation'), null, status, WRITING);
    expect(lineChanges(fixture('google-invitation'), body)).toEqual([
      '-DTSTAMP:20260510T091500Z',
      '+DTSTAMP:20260501T120000Z',
      '-ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=',
      '- TRUE;CN=alice@example.com;X-NUM-GUESTS=0:mailto:Alice@Example.com',
      expect.stringContaining(`;PARTSTAT=${partstat};CN=alice`),
      expect.stringMatching(/^\+ .*X-NUM-GUESTS=0:mailto:Alice@Example\.com$/),
      '-LAST-MODIFIED:20260511T071500Z',
      '+LAST-MODIFIED:20260501T120000Z',
    ]);
  });

  it('answers the series and every override that names us', () => {
    const body = writer.respond(SERIES, null, 'declined', WRITING);
    const text = body.toString();
    expect(text.match(/PARTSTAT=DECLINED/g)).toHaveLength(2);
    expect(text).toContain('ATTENDEE;PARTSTAT=DECLINED;X-NOTE="a;b":mailto:Alice@example.com');
    expect(text).toContain('SEQUENCE:4\r\n');
  });

  it('answers all of them by a change of the series, too', () => {
    const { body, ignoredFields } = writer.update(SERIES, null, 'all', { myResponseStatus: 'declined' }, WRITING);
    expect(body).toEqual(writer.respond(SERIES, null, 'declined', WRITING));
    expect(ignoredFields).toEqual([]);
  });

  it('answers one instance in an override of its own', () => {
    const body = writer.respond(SERIES, '20260119T080000Z', 'tentative', WRITING);
    const responses = allExpanded(body, READING, { startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2026, 1, 1) }).map(
      ({ myResponseStatus }) => myResponseStatus,
    );
    expect(responses).toEqual(['needsAction', 'accepted', 'tentative']);
    expect(body.toString()).toContain('RECURRENCE-ID;TZID=Europe/Berlin:20260119T090000\r\n');
    expect(body.toString().match(/SEQUENCE:4/g)).toHaveLength(2);
  });

  it('answers an invitation to one instance only', () => {
    const body = writer.respond(fixture('override-only'), '20260506T080000Z', 'accepted', WRITING);
    expect(body.toString()).toContain('ATTENDEE;PARTSTAT=ACCEPTED:mailto:alice@example.com');
  });

  it('refuses the organizer and who is not invited', () => {
    const rejected = expect.objectContaining({ code: 'ValidationFailed' }) as unknown as Error;
    expect(() =>
      writer.respond(fixture('apple-meeting'), null, 'accepted', { ...WRITING, ownAddresses: ['mara@example.com'] }),
    ).toThrow(rejected);
    expect(() =>
      writer.respond(fixture('google-invitation'), null, 'accepted', { ...WRITING, ownAddresses: ['x@example.com'] }),
    ).toThrow(rejected);
    expect(() => writer.respond(fixture('floating'), null, 'accepted', WRITING)).toThrow(rejected);
  });

  it('knows itself by principal path too', () => {
    const bytes = objectOf(
      'DTSTART:20260105T090000Z',
      'ORGANIZER:mailto:r@example.com',
      'ATTENDEE;PARTSTAT=NEEDS-ACTION:/principals/alice/',
    );
    expect(reader.master(bytes, READING)?.myResponseStatus).toBe('needsAction');
    expect(writer.respond(bytes, null, 'accepted', WRITING).toString()).toContain(
      'ATTENDEE;PARTSTAT=ACCEPTED:/principals/alice/',
    );
  });

  it('there is no instance that is excluded', () => {
    expect(() => writer.respond(fixture('apple-series'), '20260323T080000Z', 'accepted', WRITING)).toThrow(
      expect.objectContaining({ code: 'NotFound' }),
    );
  });
});
