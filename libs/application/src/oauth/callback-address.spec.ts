import { CallbackAddress } from './callback-address.js';

describe('CallbackAddress', () => {
  it.each(['https://calendar.example', 'https://calendar.example/', 'https://calendar.example//'])(
    'is below %s',
    (url) => {
      expect(new CallbackAddress(url).of('GOOGLE')).toBe('https://calendar.example/api/v1/oauth/callback/google');
    },
  );
});
