import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { startChromium, watchPage, type WatchedPage } from './chromium.js';
import { eventually } from './processes.js';
import type { Service } from './service.js';

export interface Person {
  email: string;
  name: string;
  password: string;
}

export const FIRST_OPERATOR: Person = {
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  password: 'a small engine that counts',
};

/** What Chromium says of a request that was answered with 401, which is how a page finds out that it has no session. */
export const NO_SESSION = 'Failed to load resource: the server responded with a status of 401 (Unauthorized)';

/** Tells of what the policy of the page refused, and adds up how far things moved by themselves. */
const WATCHER = `
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    console.error('refused by the policy: ' + violatedDirective + ' ' + blockedURI);
  });
  window.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) window.layoutShift += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The dashboard of a service, in a browser; its first operator came by the setup link. */
export class Dashboard {
  /** As they sign in at this moment. */
  firstOperator: Person = FIRST_OPERATOR;

  private constructor(
    readonly service: Service,
    private readonly chromium: Browser,
    /** Where the first operator is signed in. */
    private readonly signedIn: BrowserContext,
  ) {}

  /** Makes the first operator, the way a person does who has no mouse. */
  static async open(service: Service): Promise<Dashboard> {
    const chromium = await startChromium();
    try {
      const dashboard = new Dashboard(service, chromium, await newContext(chromium));
      const { page, problems } = await dashboard.watch(dashboard.signedIn);
      await page.goto(await setupLink(service));
      await becomeOperator(page, FIRST_OPERATOR);
      if (problems.length > 0) throw new Error(`the setup had problems:\n${problems.join('\n')}`);
      await page.close();
      return dashboard;
    } catch (error) {
      await chromium.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.chromium.close();
  }

  get origin(): string {
    return this.service.baseUrl;
  }

  /** A tab of the first operator, at `path` below /dashboard. */
  async newPage(path = '/'): Promise<WatchedPage> {
    const watched = await this.watch(this.signedIn);
    await this.goto(watched.page, path);
    return watched;
  }

  /** A tab of a browser of its own, without a session. */
  async newStranger(path = '/'): Promise<WatchedPage> {
    const watched = await this.watch(await newContext(this.chromium));
    await this.goto(watched.page, path);
    return watched;
  }

  /** Loads `path` below /dashboard as a fresh document. */
  async goto(page: Page, path: string): Promise<void> {
    await page.goto(`${this.origin}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  /** Renews the session of {@link newPage}'s tabs after whatever ended it. @param password default: that of before */
  async signInAgain(password = this.firstOperator.password): Promise<void> {
    this.firstOperator = { ...this.firstOperator, password };
    const { page } = await this.watch(this.signedIn);
    await this.goto(page, '/sign-in');
    await signIn(page, this.firstOperator);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.close();
  }

  private async watch(context: BrowserContext): Promise<WatchedPage> {
    return watchPage(await context.newPage(), [this.origin]);
  }
}

async function newContext(chromium: Browser): Promise<BrowserContext> {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  await context.addInitScript(WATCHER);
  return context;
}

/** The newest one in the log of the api. */
export function setupLink(service: Service): Promise<string> {
  return eventually('the setup link is in the log', () => {
    const lines = service.program.stdout().split('\n');
    const line = lines.findLast((text) => text.includes('"setupLink"'));
    return line === undefined ? undefined : (JSON.parse(line) as { setupLink: string }).setupLink;
  });
}

/** On the page of the setup link or of an invitation, by keyboard alone. `email` is typed where it is asked for. */
export async function becomeOperator(page: Page, { email, name, password }: Person): Promise<void> {
  const address = page.getByLabel('Email');
  await address.waitFor();
  if (await address.isEditable()) await typeInto(page, address, email);
  await typeInto(page, page.getByLabel('Your name'), name);
  await typeInto(page, page.getByLabel('Password', { exact: true }), password);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** On the sign-in page, by keyboard alone. */
export async function signIn(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await typeInto(page, page.getByLabel('Email'), email);
  await typeInto(page, page.getByLabel('Password', { exact: true }), password);
  await page.keyboard.press('Enter');
}

async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}

const MAX_TABS = 60;

/** Presses Tab until `target` has the focus. @throws Error when it is never reached */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${target.toString()} cannot be reached by the keyboard`);
}

let axe: Promise<string> | undefined;

/** Serious and critical violations of WCAG and good practice on the page as it is; empty when there are none. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // In the middle of a change of the theme colours are neither of both.
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity).map(({ finished }) => finished))`);
  axe ??= readFile(AXE, 'utf8');
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(await axe);
  return page.evaluate<string[]>(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
        [id, target.join(' '), failureSummary].join(': '))))`);
}

/** Waits until nothing stands in for what is still to come, and nothing moves. */
export async function settled(page: Page): Promise<void> {
  await page
    .locator('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root')
    .first()
    .waitFor({ state: 'detached' });
}
