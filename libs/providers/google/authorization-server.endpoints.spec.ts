import { googleEndpoints } from './authorization-server.js';

describe('googleEndpoints', () => {
  it.each([
    ['as they are', 'https://www.googleapis.com', 'https://accounts.google.com', 'https://oauth2.googleapis.com'],
    ['with slashes', 'https://www.googleapis.com//', 'https://accounts.google.com/', 'https://oauth2.googleapis.com/'],
    [
      'with the paths of their services',
      'https://www.googleapis.com/calendar/v3/',
      'https://accounts.google.com/o/oauth2/v2/auth',
      'https://oauth2.googleapis.com/token',
    ],
  ])('takes roots %s', (_, apiUrl, oauthUrl, tokenUrl) => {
    expect(googleEndpoints({ apiUrl, oauthUrl, tokenUrl })).toEqual({
      calendar: 'https://www.googleapis.com/calendar/v3/',
      signingKeys: 'https://www.googleapis.com/oauth2/v3/certs',
      userInfo: 'https://www.googleapis.com/oauth2/v3/userinfo',
      authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
      token: 'https://oauth2.googleapis.com/token',
      tokenInfo: 'https://oauth2.googleapis.com/tokeninfo',
      revoke: 'https://oauth2.googleapis.com/revoke',
    });
  });

  it('keeps the path of a root that stands in for Google', () => {
    const url = 'http://127.0.0.1:4010/google';
    expect(googleEndpoints({ apiUrl: url, oauthUrl: url, tokenUrl: url })).toMatchObject({
      calendar: 'http://127.0.0.1:4010/google/calendar/v3/',
      token: 'http://127.0.0.1:4010/google/token',
    });
  });
});
