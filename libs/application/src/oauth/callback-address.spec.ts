import { CallbackAddress, providerOfPath } from './callback-address.js';

describe('CallbackAddress', () => {
  it.each(['https://calendar.example', 'https://calendar.example/', 'https://calendar.example//'])(
    'is below %s',
    (url) => {
      expect(new CallbackAddress(url).of('GOOGLE')).toBe('https://calendar.example/api/v1/oauth/callback/google');
    },
  );
});

describe('providerOfPath', () => {
  it('knows providers by their names in lower case, and nothing else', () => {
    expect(['google', 'microsoft', 'caldav'].map(providerOfPath)).toEqual(['GOOGLE', 'MICROSOFT', 'CALDAV']);
    for (const segment of ['GOOGLE', 'Google', '', 'yahoo', 'constructor'])
      expect(providerOfPath(segment)).toBeUndefined();
  });
});
