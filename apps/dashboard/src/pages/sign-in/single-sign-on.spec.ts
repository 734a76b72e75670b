import { ssoFailure, ssoUrl } from './single-sign-on.js';

describe('the single sign-on', () => {
  it('comes back to the page that was asked for', () => {
    const url = new URL(ssoUrl('/messages?state=failed'), 'http://localhost');
    expect([url.pathname, url.searchParams.get('returnTo')]).toEqual([
      '/api/operator/v1/sign-on/start',
      '/dashboard/messages?state=failed',
    ]);
  });

  it('is told about by its code, and by no text that an address can bring along', () => {
    expect(ssoFailure(null)).toBeNull();
    expect(ssoFailure('not-invited')?.title).toBe('You are not an operator here');
    const other = ssoFailure('failed');
    for (const code of ['<b>call 555</b>', 'constructor', '']) expect(ssoFailure(code)).toBe(other);
  });
});
