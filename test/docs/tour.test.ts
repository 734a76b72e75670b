// 55 s: `npm start` runs five times, as the tour says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { readingProblems } from '../browser/readability.js';
import { startChromium, watchPage } from '../support/chromium.js';
import { processTree } from '../support/process-tree.js';
import { eventually, freePort, runProgram, type RunningProgram } from '../support/processes.js';
import { blocksOf, fencedBlocks, sectionOf, shownCommands, shownOutput, type ShownCommand } from './page.js';
import { prepareStack, type RunningStackProgram, type TestStack } from '../support/stack.js';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = 'docs/guides/tour.md';
const TOUR = sectionOf(PAGE, 'Connect an account and read it');
const CHANGES = sectionOf(PAGE, 'Receive webhooks');
const OWN_APPLICATION = sectionOf(PAGE, 'With your own application, and the providers themselves');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
/** The table shows them side by side. */
const PICTURE = { width: 560, height: 600 };

let stack: TestStack;
let program: RunningStackProgram;
let chromium: Browser;
/** Where the tour says 127.0.0.1:9000. */
let receiverAddress: string;
/** Of the second terminal. */
let receiver: RunningProgram | undefined;
/** What the newcomer has copied so far. */
const variables: Record<string, string> = {};

beforeAll(async () => {
  receiverAddress = `127.0.0.1:${await freePort()}`;
  stack = await prepareStack({ EGRESS_ALLOW: receiverAddress });
  // One after the other: what has started when the next one fails is ended below.
  chromium = await startChromium();
  program = await stack.start();
});

afterAll(async () => {
  await chromium?.close();
  await receiver?.stop();
  await stack?.remove();
});

function signInOptions(): string {
  const output = program.stdout();
  return output.slice(output.indexOf('The unified calendar service'), output.indexOf('the data stay.') + 14);
}

function bash(script: string): RunningProgram {
  return runProgram('bash', ['-c', script], { cwd: ROOT, env: { ...stack.env, ...variables } });
}

/** @throws Error with what a command wrote, when it fails */
async function run(command: string): Promise<string> {
  const [setUp = ''] = fencedBlocks(TOUR, 'bash');
  const functions = setUp.replace(/^API=.*\n/, '');
  const run = bash(`${functions}\n${command}`);
  const exitCode = await run.exited;
  if (exitCode !== 0) throw new Error(`${command}\nended with ${exitCode}: ${run.stderr()}`);
  return run.stdout();
}

/** What the pages say of addresses that are taken on this machine, or are another stack's. */
function here(shown: string): string {
  const control = /"controlUrl":"http:\/\/([^"]+)"/.exec(program.stdout() + program.stderr())?.[1] ?? '';
  return shown
    .replaceAll('127.0.0.1:9000', receiverAddress)
    .replaceAll('localhost:4012', control)
    .replaceAll('localhost:3000', `localhost:${stack.port}`);
}

/** @returns what the command wrote, which is what the page shows */
async function answers({ command, output }: ShownCommand): Promise<string> {
  const shown = shownOutput(here(output));
  let response = await run(here(command));
  const isShown = (): boolean => shown.test(response.replace(/\s+/g, ''));
  // What only reads may be early: the worker records an attempt after the receiver has its message.
  const deadline = performance.now() + (/ -[dX] /.test(command) ? 0 : 15_000);
  while (!isShown() && performance.now() < deadline) {
    await delay(100);
    response = await run(here(command));
  }
  expect(response.replace(/\s+/g, '')).toMatch(shown);
  return response;
}

/** SCREENSHOT=docs/images renews the pictures of the tour. */
async function picture(page: Page, name: string | undefined): Promise<void> {
  const directory = process.env['SCREENSHOT'];
  if (directory !== undefined && name !== undefined)
    await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true });
}

describe('the tour', () => {
  it('begins with the welcome of npm start', () => {
    const [shown = ''] = fencedBlocks(sectionOf(PAGE, 'Start'), '');
    const seen = signInOptions().replaceAll(`localhost:${stack.port}`, 'localhost:3000');
    expect(seen.replace(/\s+/g, '')).toMatch(shownOutput(shown));
    Object.assign(variables, {
      API: `http://localhost:${stack.port}/api/v1`,
      KEY: program.apiKey,
      API_KEY: program.apiKey,
      APP: /Application +(\S+)/.exec(seen)?.[1],
    });
  });

  it.each([
    {
      ...{ provider: 'Google', email: 'ada@example.com', variable: 'ACCOUNT' },
      pictures: { chooser: 'account-chooser', consent: 'consent', connected: 'connected' },
    },
    {
      provider: 'Microsoft',
      email: 'alan@contoso.example',
      variable: 'MICROSOFT',
      pictures: { consent: 'microsoft-consent' },
    },
    { provider: 'Microsoft', email: 'edsger@outlook.example', variable: 'PERSONAL', pictures: {} },
  ])('connects $email in a browser, up to a page with the id and commands that work', async (account) => {
    const { provider, email, variable, pictures } = account;
    const signInUrl = new RegExp(`^ +${provider} +(\\S+)$`, 'm').exec(signInOptions())?.[1] ?? '';
    const context = await chromium.newContext({ viewport: PICTURE });
    const { page, problems } = watchPage(await context.newPage(), []);
    await page.goto(signInUrl);
    await page.getByTestId(`account-${email}`).waitFor();
    await picture(page, pictures.chooser);
    await page.getByTestId(`account-${email}`).click();
    await page.getByTestId('allow').waitFor();
    await picture(page, pictures.consent);
    await page.getByTestId('allow').click();

    variables[variable] = await page.getByTestId('end-user-account-id').innerText();
    const commands = await page.locator('pre').allInnerTexts();
    expect(commands).toHaveLength(2);
    for (const command of commands) {
      const response = JSON.parse(await run(command.replace('<calendar id>', 'primary'))) as { data: unknown[] };
      expect(response.data).toEqual(expect.any(Array));
    }
    await picture(page, pictures.connected);
    expect(await readingProblems(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await readingProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it.each(fencedBlocks(TOUR, 'console').flatMap(shownCommands))('$command', async (shown) => {
    await answers(shown);
  });
});

describe('the first screen of the README', () => {
  it('shows what the first request answers', async () => {
    const [block = ''] = fencedBlocks(README, 'console');
    const [start, request] = shownCommands(block);
    expect(start?.command).toBe('npm start');
    await answers(request!);
  });

  it('fits on a page', () => {
    expect(README.split('\n').length).toBeLessThanOrEqual(150);
  });
});

describe('hearing of changes, as the tour shows it', () => {
  /** What an answer has that later commands name. */
  const ANSWERED: [string, RegExp][] = [
    ['SUBSCRIPTION', /"webhookSubscriptionId":"([^"]+)"/],
    ['SECRET', /"webhookSubscriptionId":.*"endpointSecret":"([^"]+)"/],
    ['MESSAGE', /^\{"data":\[\{"id":"(msg_[^"]+)"/],
  ];
  let printed = 0;

  async function responsesWithIds(shown: ShownCommand): Promise<void> {
    const response = await answers(shown);
    for (const [name, pattern] of ANSWERED) variables[name] = pattern.exec(response)?.[1] ?? variables[name] ?? '';
  }

  async function startsReceiver(command: string): Promise<void> {
    receiver = bash(`exec env PORT=${new URL(`http://${receiverAddress}`).port} ${command}`);
    await eventually('the receiver listens', () => receiver?.stdout().includes('Listening') || undefined);
  }

  async function prints(output: string): Promise<void> {
    const more = (): string => `${receiver?.stdout() ?? ''}${receiver?.stderr() ?? ''}`.slice(printed);
    const shown = shownOutput(here(output));
    const isShown = (): true | undefined => shown.test(more().replace(/\s+/g, '')) || undefined;
    // The mismatch says more than that it took too long.
    await eventually('the receiver was told', isShown).catch(() => undefined);
    expect(more().replace(/\s+/g, '')).toMatch(shown);
    printed += more().length;
  }

  it.each(
    blocksOf(CHANGES).flatMap(({ language, content }) => {
      if (language === 'sh') return [{ step: content, take: () => startsReceiver(content) }];
      if (language === 'text') return [{ step: `prints ${content}`, take: () => prints(content) }];
      return shownCommands(content).map((shown) => ({ step: shown.command, take: () => responsesWithIds(shown) }));
    }),
  )('$step', ({ take }) => take());
});

describe('an application of its own, as the tour shows it', () => {
  it.each(fencedBlocks(OWN_APPLICATION, 'console').flatMap(shownCommands))('$command', async (shown) => {
    await answers(shown);
  });
});

describe('npm start with a provider itself', () => {
  it.each<[string, NodeJS.ProcessEnv]>([
    ['Google, named', { GOOGLE_API_URL: 'https://www.googleapis.com' }],
    ['Google, known by a client', { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' }],
    ['Microsoft, named', { MICROSOFT_GRAPH_URL: 'https://graph.microsoft.com' }],
    ['Microsoft, known by a client', { MICROSOFT_CLIENT_ID: 'id', MICROSOFT_CLIENT_SECRET: 'secret' }],
  ])('%s, runs no sandbox and sends nobody to one', async (_, settings) => {
    const real = await prepareStack(settings);
    try {
      const { pid, stdout } = await real.start();
      expect(stdout()).not.toContain('sandbox');
      const commands = processTree(pid).map((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8'));
      expect(commands.filter((command) => command.includes('apps/api'))).toHaveLength(1);
      expect(commands.filter((command) => command.includes('apps/sandbox'))).toEqual([]);
    } finally {
      await real.remove();
    }
  });
});
