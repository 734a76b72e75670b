// Renews the pictures of the dashboard in docs/images, from a running service (`npm start`, with something in it):
//   DASHBOARD_EMAIL=… DASHBOARD_PASSWORD=… node apps/dashboard/screenshots.mjs [http://127.0.0.1:3000]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const IMAGES = join(import.meta.dirname, '../../docs/images');
const DESKTOP = { width: 1280, height: 800 };

/** Name of the picture, page, and what differs from a light desktop and from the page itself. */
const PICTURES = [
  { name: 'dashboard-overview', path: '/' },
  { name: 'dashboard-messages', path: '/messages', colorScheme: 'dark' },
  { name: 'dashboard-account', path: '/accounts', followsFirstRow: true, height: 1_100 },
];

const origin = new URL(process.argv[2] ?? 'http://127.0.0.1:3000').origin;
const { DASHBOARD_EMAIL: email, DASHBOARD_PASSWORD: password } = process.env;
if (!email || !password) throw new Error('DASHBOARD_EMAIL and DASHBOARD_PASSWORD say who signs in.');

const CHROMIUMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const executablePath = CHROMIUMS.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
try {
  const page = await browser.newPage({ viewport: DESKTOP, deviceScaleFactor: 2, reducedMotion: 'reduce' });
  await page.goto(`${origin}/dashboard/sign-in`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const settled = async () => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy="true"], .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  };
  for (const { name, path, colorScheme = 'light', followsFirstRow = false, height = DESKTOP.height } of PICTURES) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ ...DESKTOP, height });
    await page.goto(`${origin}/dashboard${path}`);
    await settled();
    if (followsFirstRow) {
      await page.getByRole('rowheader').first().getByRole('link').click();
      await page.getByRole('table', { name: 'Timeline' }).waitFor();
      await settled();
    }
    await page.screenshot({ path: join(IMAGES, `${name}.png`) });
    process.stdout.write(`${name}.png\n`);
  }
} finally {
  await browser.close();
}
