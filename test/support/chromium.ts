import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

const PATHS = [
  '/usr/bin/chromium-headless-shell',
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

/** A page that notes what goes wrong in it, and every request that leaves its origins. */
export interface WatchedPage {
  page: Page;
  /** Errors of scripts, of the console (refused by a policy, too), and of requests. */
  problems: string[];
  /** URLs of other origins than the page's own. */
  outside: string[];
}

export async function startChromium(): Promise<Browser> {
  const executablePath = PATHS.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('there is no Chromium on this machine');
  return chromium.launch({ executablePath, args: QUIET });
}

/** Opens `url` in a browser profile of its own; nothing but its origin is asked for anything. */
export async function openPage(browser: Browser, url: string): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const watched = watchPage(page, [new URL(url).origin]);
  await page.goto(url);
  return watched;
}

/** @param origins that the page may ask */
export function watchPage(page: Page, origins: readonly string[]): WatchedPage {
  const problems: string[] = [];
  const outside: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && !origins.includes(new URL(request.url()).origin)) outside.push(request.url());
  });
  return { page, problems, outside };
}
