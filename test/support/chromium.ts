import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

const PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** Without these it talks to hosts of its maker at every start. */
const QUIET = [
  '--no-sandbox', // tests may run as root
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A page that notes what goes wrong in it, and every request that leaves this machine. */
export interface WatchedPage {
  page: Page;
  /** Errors of scripts, of the console, and of requests. */
  problems: string[];
  /** URLs of other origins than the page's own. */
  outside: string[];
}

export async function startChromium(): Promise<Browser> {
  const executablePath = PATHS.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('there is no Chromium on this machine');
  return chromium.launch({ executablePath, args: QUIET });
}

export async function openPage(browser: Browser, url: string): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const problems: string[] = [];
  const outside: string[] = [];
  const { origin } = new URL(url);
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== origin) outside.push(request.url());
  });
  await page.goto(url);
  return { page, problems, outside };
}
