import { audienceOf } from './audience.js';
import { type WriteContext } from './contract.js';
import { EventWriter } from './event-writer.js';
import { objectOf, ownChanges, WRITING } from '../testing/corpus.js';

const writer = new EventWriter();
const TIMES = ['DTSTART:20260105T090000Z', 'DTEND:20260105T100000Z'];
const OWN = ['ORGANIZER:mailto:alice@example.com', 'ATTENDEE;PARTSTAT=ACCEPTED:mailto:alice@example.com'];
const BOB = 'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:bob@example.com';
const OURS = 'ATTENDEE;PARTSTAT=NEEDS-ACTION;SCHEDULE-AGENT=CLIENT;X-UCAL-SILENT=TRUE:mailto:bob@example.com';
const THEIRS = 'ATTENDEE;PARTSTAT=NEEDS-ACTION;SCHEDULE-AGENT=NONE:mailto:bob@example.com';
const context = (scheduleAgent: WriteContext['scheduleAgent']): WriteContext => ({ ...WRITING, scheduleAgent });
const override = (...lines: string[]) => [
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:TEST',
  'RECURRENCE-ID:20260106T090000Z',
  'DTSTART:20260106T110000Z',
  'DTEND:20260106T120000Z',
  ...lines,
];

function update(
  before: Buffer,
  scheduleAgent: WriteContext['scheduleAgent'],
  input = {},
  instance: string | null = null,
) {
  const scope = instance === null ? 'all' : 'this';
  const { body } = writer.update(before, instance, scope, { title: 'New', ...input }, context(scheduleAgent));
  return ownChanges(before, body).filter((line) => !line.startsWith('+SUMMARY'));
}

describe('SCHEDULE-AGENT', () => {
  it.each([
    [
      'CLIENT keeps new guests quiet',
      'CLIENT',
      'ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;SCHEDULE-AGENT=CLIENT;X-UCAL-SILENT=TRUE:mailto:bob@example.com',
    ],
    [
      'SERVER says nothing',
      'SERVER',
      'ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:bob@example.com',
    ],
    [
      'null says nothing',
      null,
      'ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:bob@example.com',
    ],
  ] as const)('of a new event: %s', (_, agent, expected) => {
    const attendees = [{ email: 'alice@example.com' }, { email: 'bob@example.com' }];
    const start = { kind: 'dateTime', local: '2026-01-05T09:00:00', timeZone: 'UTC', offsetMinutes: null } as const;
    const { body } = writer.create('NEW', { title: 'x', start, attendees }, context(agent));
    const lines = body.toString('utf8').replaceAll('\r\n ', '').split('\r\n');
    const written = lines.filter((line) => line.startsWith('ATTENDEE'));
    expect(written).toHaveLength(2);
    // Never of the organizer, who is a guest of himself.
    expect(written[0]).not.toContain('SCHEDULE-AGENT');
    expect(written[1]).toBe(expected);
  });

  it.each([
    ['an invited guest hears of changes, whoever asks for silence', 'CLIENT', BOB, []],
    ['one who was kept quiet stays so', 'CLIENT', OURS, []],
    ['one who was kept quiet is invited later', 'SERVER', OURS, [`-${OURS}`, `+${BOB}`]],
    ['one of another client stays as that put him', 'SERVER', THEIRS, []],
    ['one of another client stays as that put him, quietly', 'CLIENT', THEIRS, []],
    ['nothing where the server does not schedule', null, OURS, []],
  ] as const)('of a change: %s', (_, agent, line, expected) => {
    expect(update(objectOf(...TIMES, ...OWN, line), agent)).toEqual(expected);
  });

  it('is the same of one guest in all components', () => {
    const series = (line: string) => objectOf(...TIMES, 'RRULE:FREQ=DAILY;COUNT=4', ...OWN, line, ...override(...OWN));
    const attendees = [{ email: 'alice@example.com' }, { email: 'bob@example.com' }];
    const added = (line: string, agent: 'CLIENT' | 'SERVER') =>
      update(series(line), agent, { attendees }, '20260106T090000Z')
        .join('')
        .match(/SCHEDULE-AGENT=\w+/g);
    expect(added(THEIRS, 'CLIENT')).toEqual(['SCHEDULE-AGENT=NONE']);
    expect(added(THEIRS, 'SERVER')).toEqual(['SCHEDULE-AGENT=NONE']);
    expect(added(OURS, 'CLIENT')).toEqual(['SCHEDULE-AGENT=CLIENT']);
    // He has been told of the other instances.
    expect(added(BOB, 'CLIENT')).toBeNull();
    const both = objectOf(...TIMES, 'RRULE:FREQ=DAILY;COUNT=4', ...OWN, OURS, ...override(...OWN, OURS));
    expect(update(both, 'SERVER', {}, '20260106T090000Z').filter((change) => change.startsWith('-'))).toEqual([
      `-${OURS}`,
      `-${OURS}`,
    ]);
  });

  it('changes no byte of a write that changes nothing, and of an invitation by somebody else', () => {
    const own = objectOf(...TIMES, ...OWN, OURS, 'SUMMARY:New');
    expect(update(own, 'SERVER')).toEqual([]);
    const invitation = objectOf(...TIMES, 'ORGANIZER:mailto:boss@example.com', OWN[1]!, OURS);
    expect(update(invitation, 'SERVER')).toEqual([]);
    expect(update(invitation, 'CLIENT')).toEqual([]);
  });
});

describe('audienceOf', () => {
  const own = WRITING.ownAddresses;
  const meeting = (...guests: string[]) => objectOf(...TIMES, ...OWN, ...guests);
  const guests = (concerned: number, notified: number) => ({ kind: 'guests', concerned, notified });

  // RFC 6638 §3.2.1, the tables of creation, change and removal.
  it.each([
    ['created, SERVER', null, meeting(BOB), guests(1, 1)],
    ['created, CLIENT', null, meeting(OURS), guests(1, 0)],
    ['created, NONE', null, meeting(THEIRS), guests(1, 0)],
    ['SERVER, removed', meeting(BOB), meeting(), guests(1, 1)],
    ['SERVER to SERVER', meeting(BOB), meeting(BOB), guests(1, 1)],
    ['SERVER to CLIENT is a cancellation', meeting(BOB), meeting(OURS), guests(1, 1)],
    ['CLIENT, removed', meeting(OURS), meeting(), guests(1, 0)],
    ['CLIENT to SERVER', meeting(OURS), meeting(BOB), guests(1, 1)],
    ['CLIENT to CLIENT', meeting(OURS), meeting(OURS), guests(1, 0)],
    ['deleted, SERVER', meeting(BOB), null, guests(1, 1)],
    ['deleted, CLIENT', meeting(OURS), null, guests(1, 0)],
    ['deleted, NONE', meeting(THEIRS), null, guests(1, 0)],
    ['a token that nobody knows counts as NONE', null, meeting(OURS.replace('=CLIENT', '=X-ELSE')), guests(1, 0)],
    ['SERVER, written out', null, meeting(THEIRS.replace('=NONE', '=server')), guests(1, 1)],
    ['nobody but the organizer', meeting(), null, guests(0, 0)],
    ['no event', null, null, guests(0, 0)],
  ])('%s', (_, before, after, expected) => {
    expect(audienceOf(before, after, own)).toEqual(expected);
  });

  it('of a guest: the organizer hears of answers, absences and deletions', () => {
    const invited = (response: string, organizer = 'ORGANIZER:mailto:boss@example.com', ...more: string[]) =>
      objectOf(
        ...TIMES,
        'RRULE:FREQ=DAILY;COUNT=4',
        organizer,
        `ATTENDEE;PARTSTAT=${response}:mailto:alice@example.com`,
        ...more,
      );
    const heard = { kind: 'organizer', concerned: 1, notified: 1 };
    const nobody = guests(0, 0);
    expect(audienceOf(invited('NEEDS-ACTION'), invited('ACCEPTED'), own)).toEqual(heard);
    expect(audienceOf(invited('ACCEPTED'), invited('ACCEPTED', undefined, 'X-A:1'), own)).toEqual(nobody);
    expect(audienceOf(invited('ACCEPTED'), invited('ACCEPTED', undefined, 'EXDATE:20260106T090000Z'), own)).toEqual(
      heard,
    );
    const response = (text: string) =>
      override('ORGANIZER:mailto:boss@example.com', `ATTENDEE;PARTSTAT=${text}:mailto:alice@example.com`);
    expect(audienceOf(invited('ACCEPTED'), invited('ACCEPTED', undefined, ...response('ACCEPTED')), own)).toEqual(
      nobody,
    );
    expect(audienceOf(invited('ACCEPTED'), invited('ACCEPTED', undefined, ...response('DECLINED')), own)).toEqual(
      heard,
    );
    expect(audienceOf(invited('ACCEPTED'), null, own)).toEqual(heard);
    const quiet = 'ORGANIZER;SCHEDULE-AGENT=CLIENT:mailto:boss@example.com';
    expect(audienceOf(invited('ACCEPTED', quiet), invited('DECLINED', quiet), own)).toEqual({ ...heard, notified: 0 });
  });

  it('of what cannot be read: neither all of them nor none', () => {
    const { concerned, notified } = audienceOf('no calendar', null, own);
    expect(notified).toBeGreaterThan(0);
    expect(notified).toBeLessThan(concerned);
  });
});
