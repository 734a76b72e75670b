import { areEnough, DEFAULT_SCOPES, missingScopes } from './scopes.js';

const P = 'https://www.googleapis.com/auth/';

describe('missingScopes (google)', () => {
  it('knows the names that scopes are granted under', () => {
    expect(missingScopes(DEFAULT_SCOPES, [`${P}calendar`, `${P}userinfo.email`, 'openid'])).toEqual([]);
    expect(missingScopes([`${P}userinfo.email`, 'profile'], ['email', `${P}userinfo.profile`])).toEqual([]);
  });

  it.each([
    ['calendar', ['calendar.events', 'calendar.readonly', 'calendar.freebusy', 'calendar.acls'], []],
    ['calendar.readonly', ['calendar.events.readonly', 'calendar.freebusy', 'calendar.calendarlist.readonly'], []],
    ['calendar.readonly', ['calendar.events', 'calendar.calendarlist'], ['calendar.events', 'calendar.calendarlist']],
    ['calendar.events', ['calendar.events.readonly', 'calendar.events.owned', 'calendar.events.owned.readonly'], []],
    ['calendar.events', ['calendar.freebusy', 'calendar.readonly'], ['calendar.freebusy', 'calendar.readonly']],
    ['calendar.events.owned', ['calendar.events'], ['calendar.events']],
    ['calendar.calendarlist', ['calendar.calendarlist.readonly', 'calendar.calendars'], ['calendar.calendars']],
  ])('weighs %s against %j: %j missing', (granted, requested, missing) => {
    expect(
      missingScopes(
        requested.map((name) => P + name),
        [P + granted],
      ),
    ).toEqual(missing.map((name) => P + name));
  });

  it('takes no scope of another service for a wider one', () => {
    expect(missingScopes([`${P}drive`, `${P}calendars.x`], [`${P}calendar`])).toEqual([`${P}drive`, `${P}calendars.x`]);
    expect(missingScopes([`${P}calendar`], ['openid', 'calendar'])).toEqual([`${P}calendar`]);
  });
});

describe('areEnough', () => {
  it.each([
    [['calendar'], true],
    [['calendar.readonly'], true],
    [['calendar.calendarlist', 'calendar.events'], true],
    [['calendar.calendarlist.readonly', 'calendar.events.owned'], true],
    [['calendar.events'], false],
    [['calendar.calendarlist', 'calendar.freebusy'], false],
    [['calendar.app.created'], false],
    [['userinfo.email'], false],
    [[], false],
  ])('finds %j enough to read calendars and events: %s', (names, expected) => {
    expect(areEnough(names.map((name) => P + name))).toBe(expected);
  });
});
