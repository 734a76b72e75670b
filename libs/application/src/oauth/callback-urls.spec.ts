import { CallbackUrls } from './callback-urls.js';

describe('CallbackUrls', () => {
  it.each(['https://calendar.example', 'https://calendar.example/', 'https://calendar.example//'])(
    'is below %s',
    (url) => {
      expect(new CallbackUrls(url).of('GOOGLE')).toBe('https://calendar.example/api/v1/oauth/callback/google');
    },
  );
});
