// 60 s: Chromium opens every page of the dashboard in both themes and on a phone.
import type { Page } from 'playwright-core';
import type { WatchedPage } from '../support/chromium.js';
import {
  accessibilityProblems,
  becomeOperator,
  Dashboard,
  FIRST_OPERATOR,
  settled,
  setupLink,
  signIn,
  tabTo,
  type Person,
} from '../support/dashboard.js';
import { asAdmin } from '../support/postgres.js';
import { startService, type Service } from '../support/service.js';

const GRACE: Person = { email: 'grace@example.com', name: 'Grace Hopper', password: 'a moth between the relays' };

/** Kilobytes, compressed: what the issue allows a page at its first load. */
const MAX_SCRIPT_KB = 300;
/** Cumulative Layout Shift that people notice begins at 0.1 (web.dev/articles/cls). */
const MAX_SHIFT = 0.02;

let service: Service;
let dashboard: Dashboard;

beforeAll(async () => {
  service = await startService();
  dashboard = await Dashboard.open(service);
});

afterAll(async () => {
  await dashboard?.close();
  await service?.stop();
});

function heading(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Of a session of its own, for what ends sessions. */
async function signedIn(person: Pick<Person, 'email' | 'password'> = dashboard.firstOperator) {
  const tab = await dashboard.newStranger('/sign-in');
  await signIn(tab.page, person);
  await tab.page.getByRole('navigation', { name: 'Pages' }).waitFor();
  return tab;
}

describe('the way in', () => {
  it('is a setup link that makes one operator, by keyboard alone, and works no more', async () => {
    const { page, problems } = await dashboard.newPage('/profile');
    await heading(page, FIRST_OPERATOR.name);
    const stranger = await dashboard.newStranger(`/setup#${new URL(await setupLink(service)).hash.slice(1)}`);
    await stranger.page.getByText('This link works no more').waitFor();
    expect(stranger.page.url()).toBe(`${dashboard.origin}/dashboard/setup`);
    expect([problems, stranger.outside]).toEqual([[], []]);
  });

  it('leads back to the page that was asked for', async () => {
    const { page, outside } = await dashboard.newStranger('/audit?action=operator.created');
    await heading(page, 'Sign in');
    await signIn(page, FIRST_OPERATOR);
    await heading(page, 'Audit log');
    expect(page.url()).toBe(`${dashboard.origin}/dashboard/audit?action=operator.created`);
    expect(outside).toEqual([]);
  });

  it('stays shut with a wrong password, says so, and tells the request id', async () => {
    const { page } = await dashboard.newStranger('/sign-in');
    await signIn(page, { ...FIRST_OPERATOR, password: 'a guess of thirteen' });
    const alert = page.getByRole('alert');
    await alert.getByText('The email address or the password is wrong.').waitFor();
    await alert.getByRole('button', { name: 'Copy request id' }).waitFor();
    await heading(page, 'Sign in');
  });

  it('is shut again after signing out, also for the tab beside it', async () => {
    const { page } = await signedIn();
    const beside = await page.context().newPage();
    await dashboard.goto(beside, '/audit');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
    await beside.getByRole('link', { name: 'Operators' }).click();
    await heading(beside, 'Sign in');
    expect(new URL(beside.url()).searchParams.get('returnTo')).toBe('/operators');
  });
});

describe('what gives others access', () => {
  const longAgo = () =>
    asAdmin(service.adminDatabaseUrl, (admin) =>
      admin.query(`update operator_session set authenticated_at = now() - interval '1 hour'`),
    );

  it('asks for the password once more, and goes on where it stopped', async () => {
    const { page } = await signedIn();
    await dashboard.goto(page, '/operators');
    await longAgo();
    await page.getByRole('button', { name: 'Invite an operator' }).click();
    await page.getByLabel('Email').fill('admin-to-be@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('admin');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();

    const dialog = page.getByRole('dialog', { name: 'Prove that it is you' });
    const password = dialog.getByLabel('Your password', { exact: true });
    await password.fill('not the right one');
    await page.keyboard.press('Enter');
    await dialog.getByText('is wrong').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await password.fill(FIRST_OPERATOR.password);
    await page.keyboard.press('Enter');
    await page.getByTestId('secret').waitFor();
    expect(await dialog.count()).toBe(0);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('rowheader', { name: 'admin-to-be@example.com' }).waitFor();
  });

  it('stays undone when the operator would rather not say', async () => {
    const { page } = await signedIn();
    await dashboard.goto(page, '/operators');
    await longAgo();
    await page.getByRole('button', { name: 'Invite an operator' }).click();
    await page.getByLabel('Email').fill('nobody-to-be@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('admin');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Prove that it is you' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Nobody was invited').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe('nobody-to-be@example.com');
  });
});

describe('operators', () => {
  it('are invited by a link that is shown once; a viewer sees no buttons, and the API refuses them', async () => {
    const { page } = await dashboard.newPage('/operators');
    await page.getByRole('button', { name: 'Invite an operator' }).click();
    await page.getByLabel('Email').fill(GRACE.email);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await page.getByTestId('secret').innerText();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('rowheader', { name: GRACE.email }).waitFor();

    const stranger = await dashboard.newStranger();
    await stranger.page.goto(link);
    await becomeOperator(stranger.page, GRACE);
    await stranger.page.getByRole('link', { name: 'Operators' }).click();
    await stranger.page.getByRole('rowheader', { name: `${GRACE.name} (you)` }).waitFor();
    await settled(stranger.page);
    for (const name of [/invite/i, /remove/i, /withdraw/i]) {
      expect(await stranger.page.getByRole('button', { name }).count()).toBe(0);
    }
    expect(await stranger.page.getByRole('combobox').count()).toBe(0);

    const response = await stranger.page.evaluate(async () => {
      const { csrfToken } = (await (await fetch('/api/operator/v1/session')).json()) as { csrfToken: string };
      const rejected = await fetch('/api/operator/v1/invitations', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-csrf-token': csrfToken },
        body: JSON.stringify({ email: 'eve@example.com', role: 'admin' }),
      });
      return { status: rejected.status, body: (await rejected.json()) as { code: string } };
    });
    expect(response).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
  });

  it('are led to the sign-in when their session is ended elsewhere', async () => {
    const elsewhere = await signedIn(GRACE);
    const { page } = await dashboard.newPage('/operators');
    await page.getByRole('button', { name: `Remove ${GRACE.name}` }).click();
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove' });
    expect(await remove.isDisabled()).toBe(true);
    await page.getByLabel(/to confirm/).fill(GRACE.email);
    await remove.click();
    await page.getByRole('status').getByText(`${GRACE.name} is not an operator any more.`).waitFor();
    await heading(elsewhere.page, 'Sign in'); // the overview finds out by itself
  });

  it('change their password, which ends their other sessions and not this one', async () => {
    const password = 'an engine that counts on';
    const other = await signedIn();
    const { page } = await signedIn();
    await page.getByRole('link', { name: FIRST_OPERATOR.email }).click();
    await page.getByLabel('Current password', { exact: true }).fill(FIRST_OPERATOR.password);
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('status').getByText('Your password is changed.').waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('operator.password-changed').first().waitFor();
    await heading(other.page, 'Sign in');
    await dashboard.signInAgain(password);
  });
});

describe('the own sessions', () => {
  it('are listed, and ended one by one or all but this one', async () => {
    const [here, there, elsewhere] = [await signedIn(), await signedIn(), await signedIn()];
    const { page } = here;
    // The overview asks every few seconds, and would leave for the sign-in before the click; operators are asked once.
    for (const { page: other } of [there, elsewhere]) await dashboard.goto(other, '/operators');
    await dashboard.goto(page, '/profile');
    const sessions = page.getByRole('table', { name: 'Your sessions' });
    await sessions.getByRole('rowheader', { name: 'Chrome on Linux (this one)' }).waitFor();
    const ends = sessions.getByRole('button', { name: 'End the session of Chrome on Linux' });
    const before = await ends.count();
    // The latest first: that of `elsewhere`.
    await ends.first().click();
    await page.getByText('The session has ended.').first().waitFor();
    await settled(page);
    expect(await ends.count()).toBe(before - 1);
    await elsewhere.page.getByRole('link', { name: 'Audit log' }).click();
    await heading(elsewhere.page, 'Sign in');
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByText('Your other sessions have ended.').first().waitFor();
    await ends.first().waitFor({ state: 'detached' });
    await there.page.getByRole('link', { name: 'Audit log' }).click();
    await heading(there.page, 'Sign in');
    await dashboard.signInAgain();
  });
});

describe('every page', () => {
  const OF_OPERATORS = [
    '/',
    '/applications',
    '/applications/:applicationId',
    '/applications/:applicationId/keys',
    '/applications/:applicationId/sign-in',
    '/applications/:applicationId/redirect-urls',
    '/accounts',
    '/endpoints',
    '/messages',
    '/requests',
    '/usage',
    '/failed-jobs',
    '/operators',
    '/audit',
    '/profile?error=taken',
    '/no-such-page',
  ];
  const OF_STRANGERS = ['/sign-in', '/sign-in?error=not-invited', '/setup', '/invitation'];

  let ofOperator: WatchedPage;
  let ofStranger: WatchedPage;

  beforeAll(async () => {
    ofOperator = await dashboard.newPage('/profile');
    ofStranger = await dashboard.newStranger('/setup');
  });

  it.each([...OF_OPERATORS, ...OF_STRANGERS])(
    'N63 %s is readable in both themes and on a phone, breaks no policy, stays within its budget and does not jump',
    async (route) => {
      const { page, problems, outside } = OF_STRANGERS.includes(route) ? ofStranger : ofOperator;
      const before = problems.length;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 1280, height: 800 });
      await dashboard.goto(page, route.replace(':applicationId', service.applicationId));
      await settled(page);
      expect(await page.title()).toMatch(/ · Unified Calendar$/);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate<number>('layoutShift')).toBeLessThan(MAX_SHIFT);
      expect(await scriptKilobytes(page)).toBeLessThan(MAX_SCRIPT_KB);

      await page.emulateMedia({ colorScheme: 'dark' });
      // WCAG 2.2, 1.4.10: as wide as a small phone, or a window at 400 %.
      await page.setViewportSize({ width: 320, height: 740 });
      await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate('scrollTo(10_000, 0), scrollX')).toBe(0);
      expect(problems.slice(before)).toEqual([]);
      expect(outside).toEqual([]);
    },
  );

  async function scriptKilobytes(page: Page): Promise<number> {
    const bytes = await page.evaluate<number>(`performance.getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
    expect(bytes).toBeGreaterThan(50_000);
    return bytes / 1_000;
  }
});

describe('the frame around the pages', () => {
  it('is used by keyboard: past the navigation, to the heading of the next page, into the drawer and out again', async () => {
    const { page, problems } = await dashboard.newPage('/operators');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    await page.keyboard.press('Tab');
    await tabTo(page, skip);
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');

    await tabTo(page, page.getByRole('link', { name: 'Audit log' }));
    await page.keyboard.press('Enter');
    await heading(page, 'Audit log');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Audit log');
    expect(await page.getByRole('link', { name: 'Audit log' }).getAttribute('aria-current')).toBe('page');

    await page.setViewportSize({ width: 360, height: 740 });
    await tabTo(page, page.getByRole('button', { name: 'Open the navigation' }));
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('link', { name: 'Operators' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    await drawer.getByRole('link', { name: 'Operators' }).click();
    await heading(page, 'Operators');
    await drawer.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await page.close();
  });

  it('keeps the colours that were chosen, from the first paint on', async () => {
    const { page } = await dashboard.newStranger('/sign-in');
    await page.getByText('Dark', { exact: true }).locator('..').click();
    // Without the scripts of the page: what is painted before they run.
    await page.route('**/assets/index-*.js', (route) => route.abort());
    await page.reload();
    expect(await page.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe('dark');
    expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe('rgb(18, 23, 22)');
  });
});
