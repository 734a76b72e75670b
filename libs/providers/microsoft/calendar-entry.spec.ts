import { namedColor, nearestColor, outlookCalendar, SHADES, toCalendar } from './calendar-entry.js';
import { writtenProperties, type OwnName } from './events/own-properties.js';

const CONTEXT = { ownAddresses: new Set(['ida.berg@fabrikam.example']), mailboxTimeZone: 'Europe/Berlin' };
const show = (entry: object) => toCalendar({ id: 'AAMk1=', ...entry }, CONTEXT);
const own = (properties: [OwnName, string][]) => ({
  singleValueExtendedProperties: writtenProperties(new Map(properties)),
});

describe('toCalendar (microsoft)', () => {
  it('shows a calendar of the account', () => {
    expect(
      show({
        name: 'Calendar',
        color: 'auto',
        hexColor: '',
        isDefaultCalendar: true,
        canEdit: true,
        allowedOnlineMeetingProviders: ['teamsForBusiness', 'unknown', 'skypeForBusiness'],
        defaultOnlineMeetingProvider: 'skypeForBusiness',
        owner: { name: 'Ida Berg', address: 'Ida.Berg@fabrikam.example' },
      }),
    ).toEqual({
      id: 'AAMk1=',
      name: 'Calendar',
      hexColor: expect.stringMatching(/^#[0-9A-F]{6}$/),
      readOnly: false,
      isPrimary: true,
      isShared: false,
      timeZone: 'Europe/Berlin',
      inviteEmail: 'Ida.Berg@fabrikam.example',
      allowedOnlineMeetingProviders: ['teamsForBusiness', 'skypeForBusiness'],
      defaultOnlineMeetingProvider: 'skypeForBusiness',
    });
  });

  it('shows one of somebody else', () => {
    const calendar = show({ canEdit: false, owner: { address: 'omar@fabrikam.example' }, isDefaultCalendar: false });
    expect(calendar).toMatchObject({ readOnly: true, isShared: true, inviteEmail: 'omar@fabrikam.example', name: '' });
    expect(calendar).not.toHaveProperty('isPrimary');
    expect(show({ owner: { address: 'IDA.BERG@fabrikam.example' } }).isShared).toBe(false);
    expect(show({ owner: { address: 'other@x' }, isDefaultCalendar: true }).isShared).toBe(false);
    expect(show({ owner: null }).isShared).toBe(false);
  });

  it.each([
    [{ color: 'lightRed', hexColor: '' }, '#E05555'],
    [{ color: 'auto', hexColor: '#aabbcc' }, '#AABBCC'],
    [{ color: 'lightRed', hexColor: 'aabbcc' }, '#AABBCC'],
    [{ color: 'lightRed', hexColor: 'red' }, '#E05555'],
    [{ color: 'lightBlue', ...own([['ucHexColor', '#1A73E8']]) }, '#1A73E8'],
    [{ color: 'lightBlue', hexColor: '#0078d4', ...own([['ucHexColor', '#1A73E8']]) }, '#1A73E8'],
    [{ color: 'lightRed', ...own([['ucHexColor', '#1A73E8']]) }, '#E05555'],
    [{ color: 'lightRed', ...own([['ucHexColor', 'javascript:']]) }, '#E05555'],
  ])('shows the colour of %j', (entry, hexColor) => {
    expect(show(entry).hexColor).toBe(hexColor);
  });

  it.each([{ color: 'auto' }, { color: 'maxColor' }, { color: '__proto__' }, { color: 7 }, {}])(
    'gives %j a colour that stays',
    (entry) => {
      expect(SHADES).toContain(show(entry).hexColor);
      expect(show(entry).hexColor).toBe(show(entry).hexColor);
    },
  );

  it.each([
    ['America/New_York', 'America/New_York'],
    ['Tokyo Standard Time', 'Asia/Tokyo'],
    ['Mars/Olympus', 'Europe/Berlin'],
    ['', 'Europe/Berlin'],
  ])('shows the zone that was asked for: %s', (asked, timeZone) => {
    expect(show(own([['ucTimeZone', asked]])).timeZone).toBe(timeZone);
  });

  it.each([
    { allowedOnlineMeetingProviders: 'x', defaultOnlineMeetingProvider: 'unknown', owner: 'x', name: 7 },
    { allowedOnlineMeetingProviders: ['unknown'], defaultOnlineMeetingProvider: 'teamsForBusiness' },
    { allowedOnlineMeetingProviders: [null, 7], singleValueExtendedProperties: [null, { id: 7 }] },
  ])('makes nothing up from %j', (entry) => {
    const calendar = show(entry);
    expect(calendar).toMatchObject({ name: '', allowedOnlineMeetingProviders: [], inviteEmail: '' });
    expect(calendar).not.toHaveProperty('defaultOnlineMeetingProvider');
  });

  it.each([null, undefined, 'x', [], {}, { id: '' }, { id: 7 }])('takes %j for no calendar', (value) => {
    expect(() => outlookCalendar(value)).toThrow(expect.objectContaining({ code: 'ProviderUnavailable' }));
  });
});

describe('colours of Graph', () => {
  it('stand for themselves', () => {
    for (const shade of SHADES) expect(namedColor(nearestColor(shade))).toBe(shade);
  });

  it.each([
    ['#0000FF', 'lightBlue'],
    ['#FF0000', 'lightRed'],
    ['#00FF00', 'lightGreen'],
    ['#808080', 'lightGray'],
    ['#FFFF00', 'lightYellow'],
    ['#8B4513', 'lightBrown'],
    ['#1A73E8', 'lightBlue'],
  ])('%s looks most like %s', (hexColor, name) => {
    expect(nearestColor(hexColor)).toBe(name);
  });
});
