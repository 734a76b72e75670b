import { returnPath, signInPath } from './return-to.js';

const asked = (returnTo: string) => returnPath(new URLSearchParams({ returnTo }));

describe('the way back from the sign-in', () => {
  it('leads to the page that was asked for, with what it was asked', () => {
    const path = '/messages?state=failed&applicationId=1';
    expect(returnPath(new URL(signInPath(path), 'http://localhost').searchParams)).toBe(path);
  });

  it('leads to the overview when none was', () => {
    expect(signInPath('/')).toBe('/sign-in');
    expect(returnPath(new URLSearchParams())).toBe('/');
    expect(asked('/sign-in?returnTo=/sign-in')).toBe('/');
  });

  it.each(['//example.com', '/\\example.com', 'https://example.com/', 'javascript:alert(1)', 'example.com', ''])(
    'does not lead to %p',
    (elsewhere) => {
      expect(asked(elsewhere)).toBe('/');
    },
  );
});
