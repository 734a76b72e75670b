// 30 s: Chromium goes through every page of a sign-in, on two screens and in both themes.
import { GRANULAR_SCOPES } from '../support/sandbox.js';
import { describeSignIn, usedByEveryTest } from './sign-in-paths.js';
import { SignInBrowserFixture } from './sign-in-browser-fixture.js';
import { GOOGLE } from './sign-in-subjects.js';

const ADA = 'ada@example.com';
const PEOPLE = { first: ADA, second: 'grace@example.com', stranger: 'charles@example.com' };

// Another site than the service, as in life.
const signInPages = ({ googleUrl }: { googleUrl: string }): string => googleUrl.replace('127.0.0.1', 'localhost');
const stage = new SignInBrowserFixture(GOOGLE, (sandbox) => ({ GOOGLE_OAUTH_URL: signInPages(sandbox) }), signInPages);

usedByEveryTest(stage, PEOPLE);
describeSignIn(stage, PEOPLE);

it('T13 connects nobody who took a tick away, and does when it is set the next time', async () => {
  await stage.setClient('--scopes', GRANULAR_SCOPES.join(' '));
  try {
    await stage.begin({ state: 's' });
    await stage.choose(ADA);
    await stage.page.getByTestId('scope-calendar.events').uncheck();
    await stage.allow();
    expect(await stage.home()).toMatchObject({ error: 'missing_required_permissions', provider: 'GOOGLE', state: 's' });
    expect(await stage.accounts()).toEqual([]);

    await stage.begin();
    await stage.allow();
    expect(await stage.home()).toEqual({ endUserAccountId: (await stage.accounts())[0]?.id });
    stage.expectProblems();
  } finally {
    await stage.setClient();
  }
});
