import { allowProfile, areEnough, DEFAULT_SCOPES, missingScopes } from './scopes.js';

const G = 'https://graph.microsoft.com/';

describe('missingScopes (microsoft)', () => {
  it('T13 finds what it asks for in the answers of work and personal accounts', () => {
    expect(missingScopes(DEFAULT_SCOPES, ['calendars.readwrite', 'MAILBOXSETTINGS.READ', 'User.Read'])).toEqual([]);
    const urls = [`${G}User.Read`, 'openid', `${G}MailboxSettings.Read`, 'email', `${G}Calendars.ReadWrite`];
    expect(missingScopes(DEFAULT_SCOPES, urls)).toEqual([]);
    expect(missingScopes([`${G}Calendars.ReadWrite`], ['Calendars.ReadWrite'])).toEqual([]);
  });

  it.each([
    'https://graph.microsoft.us/',
    'https://dod-graph.microsoft.us/',
    'https://microsoftgraph.chinacloudapi.cn/',
  ])('knows permissions of the Graph at %s', (graph) => {
    expect(missingScopes(['Calendars.ReadWrite'], [`${graph}Calendars.ReadWrite`])).toEqual([]);
  });

  it('T13 names what is missing as it was asked for', () => {
    expect(missingScopes(DEFAULT_SCOPES, ['openid', 'User.Read', 'Calendars.Read'])).toEqual([
      'Calendars.ReadWrite',
      'MailboxSettings.Read',
    ]);
  });

  it.each([
    ['Calendars.ReadWrite', ['Calendars.Read', 'Calendars.ReadBasic'], []],
    ['Calendars.ReadWrite', ['Calendars.ReadWrite.Shared', 'Calendars.Read.Shared'], 'all'],
    [
      'Calendars.ReadWrite.Shared',
      ['Calendars.ReadWrite', 'Calendars.Read', 'Calendars.Read.Shared', 'Calendars.ReadBasic'],
      [],
    ],
    ['Calendars.Read.Shared', ['Calendars.Read', 'Calendars.ReadBasic'], []],
    ['Calendars.Read.Shared', ['Calendars.ReadWrite'], 'all'],
    ['Calendars.Read', ['Calendars.ReadBasic'], []],
    ['Calendars.ReadBasic', ['Calendars.Read'], 'all'],
    ['MailboxSettings.ReadWrite', ['MailboxSettings.Read'], []],
    ['User.ReadWrite', ['User.Read'], []],
    ['OnlineMeetings.ReadWrite', ['OnlineMeetings.Read', 'OnlineMeetings.ReadWrite'], []],
    ['Calendars.ReadWrite', ['https://outlook.office.com/Calendars.ReadWrite', '.default'], 'all'],
    ['https://graph.microsoft.com.evil.example/Calendars.ReadWrite', ['Calendars.ReadWrite'], 'all'],
  ] as const)('weighs %s against %j: %j missing', (granted, requested, missing) => {
    expect(missingScopes(requested, [granted])).toEqual(missing === 'all' ? requested : missing);
  });
});

describe('areEnough (microsoft)', () => {
  it.each([
    ['Calendars.ReadWrite', true],
    [`${G}calendars.read`, true],
    ['Calendars.ReadWrite.Shared', true],
    ['Calendars.Read.Shared', true],
    ['Calendars.ReadBasic', false],
    ['User.Read', false],
  ])('finds %s enough to read calendars and events: %s', (scope, expected) => {
    expect(areEnough(['openid', scope])).toBe(expected);
    expect(areEnough(['openid'])).toBe(false);
  });
});

describe('allowProfile', () => {
  it.each([
    [['User.Read'], true],
    [[`${G}user.readwrite`], true],
    [['openid', 'profile', 'Calendars.ReadWrite'], false],
    [null, true],
  ])('of %j: %s', (granted, expected) => {
    expect(allowProfile(granted)).toBe(expected);
  });
});
