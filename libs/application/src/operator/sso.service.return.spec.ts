import { dashboardPath, linkedPath, failedLinkPath, failedSignInPath } from './sso.service.js';

describe('dashboardPath', () => {
  it.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard?x=1',
    '/dashboard/accounts?search=a%20b#top',
    '/dashboard/accounts/%2F%2Fevil.example',
  ])('goes to %s', (path) => {
    expect(dashboardPath(path)).toBe(path);
  });

  it.each<string | undefined>([
    undefined,
    '',
    'dashboard',
    '/',
    '/api/docs',
    '/dashboards',
    '/dashboard.evil.example',
    '/dashboard/..',
    '/dashboard/../api/docs',
    '/dashboard/%2e%2e/api',
    '/dashboard/\\..\\api',
    '//evil.example/dashboard',
    '/\\evil.example/dashboard',
    '/\t/evil.example/dashboard',
    'https://evil.example/dashboard',
    'javascript:alert(1)//dashboard',
    '/dashboard/\r\nset-cookie: a=b',
    '/dashboard/ü',
  ])('N37 goes to the first page instead of %j', (path) => {
    expect(dashboardPath(path)).toBe('/dashboard');
  });
});

it('tells what became of a sign-on', () => {
  expect(linkedPath('/dashboard/profile')).toBe('/dashboard/profile?linked=true');
  expect(failedSignInPath('not-invited')).toBe('/dashboard/sign-in?error=not-invited');
  expect(failedLinkPath('/dashboard/profile', 'taken')).toBe('/dashboard/profile?error=taken');
});
