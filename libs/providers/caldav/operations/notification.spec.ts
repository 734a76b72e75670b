import type { CalDavAccount } from '../dav/contract.js';
import type { Audience } from '../events/contract.js';
import { audienceOfDeletion, scheduleAgentOf, ignoredNotifyOption } from './notification.js';

const account = (dav: string[], home = '/calendars/alice/'): CalDavAccount => ({
  version: 1,
  origin: 'https://dav.example.test',
  principalHref: null,
  homeHrefs: [home],
  collectionHref: null,
  addresses: [],
  addressUris: [],
  dav,
  discoveredAt: '2026-01-01T00:00:00Z',
});
const RFC_6638 = account(['1', 'calendar-access', 'calendar-auto-schedule']);
const SOGO = account(['1', 'calendar-access', 'calendar-auto-schedule'], '/SOGo/dav/alice/Calendar/');
const OTHER = account(['1', 'calendar-access', 'calendar-schedule', 'calendar-auto-scheduling']);
const guests = (concerned: number, notified: number): Audience => ({ kind: 'guests', concerned, notified });

describe('scheduleAgentOf', () => {
  it.each([
    ['none', RFC_6638, 'CLIENT'],
    ['all', RFC_6638, 'SERVER'],
    ['external', RFC_6638, 'SERVER'],
    [undefined, RFC_6638, 'SERVER'],
    ['none', SOGO, null],
    ['all', SOGO, null],
    ['none', OTHER, null],
  ] as const)('%s', (notifyParticipants, at, expected) => {
    expect(scheduleAgentOf(at, { notifyParticipants })).toBe(expected);
  });
});

describe('unheard', () => {
  it.each([
    ['none', RFC_6638, [guests(2, 0)], []],
    ['none', RFC_6638, [guests(2, 1)], ['notifyParticipants']],
    ['none', RFC_6638, [guests(2, 0), guests(1, 1)], ['notifyParticipants']],
    ['all', RFC_6638, [guests(2, 2)], []],
    ['all', RFC_6638, [guests(2, 1)], ['notifyParticipants']],
    ['external', RFC_6638, [guests(1, 1)], ['notifyParticipants']],
    ['external', RFC_6638, [guests(0, 0)], []],
    [undefined, RFC_6638, [guests(2, 1)], []],
    // It tells all of them, whatever their lines say.
    ['none', SOGO, [guests(2, 0)], ['notifyParticipants']],
    ['all', SOGO, [guests(2, 0)], []],
    ['none', SOGO, [guests(0, 0)], []],
    ['none', OTHER, [guests(2, 2)], []],
    ['all', OTHER, [guests(2, 2)], ['notifyParticipants']],
    ['all', OTHER, [], []],
  ] as const)('%s', (notifyParticipants, at, audiences, expected) => {
    expect(ignoredNotifyOption(at, { notifyParticipants }, ...audiences)).toEqual(expected);
  });
});

describe('audienceOfDeletion', () => {
  it('leaves out the organizer, and no guest, where nobody is to be told', () => {
    const reply: Audience = { kind: 'organizer', concerned: 1, notified: 1 };
    expect(audienceOfDeletion(reply, { notifyParticipants: 'none' })).toEqual({ ...reply, notified: 0 });
    expect(audienceOfDeletion(reply, { notifyParticipants: 'all' })).toEqual(reply);
    expect(audienceOfDeletion(guests(1, 1), { notifyParticipants: 'none' })).toEqual(guests(1, 1));
  });
});
