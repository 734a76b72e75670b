import { welcomeOf } from './welcome.js';

const STARTED = { baseUrl: 'http://localhost:3000', demo: null, signInUrls: null, setupLink: null, setupCommand: null };

describe('the welcome of npm start', () => {
  it.each([
    [undefined, 'Dashboard   http://localhost:3000/dashboard'],
    ['', 'Dashboard   http://localhost:3000/dashboard'],
    ['https://ops.example/', 'Dashboard   https://ops.example/dashboard'],
  ])('with OPERATOR_URL %j names the %s', (OPERATOR_URL, line) => {
    expect(welcomeOf({ OPERATOR_URL }, STARTED)).toContain(`  ${line}\n`);
  });

  it('names no dashboard where there is none', () => {
    expect(welcomeOf({ OPERATOR_URL: 'off' }, STARTED)).not.toContain('dashboard');
  });
});
