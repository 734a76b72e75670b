import type { Browser } from 'playwright-core';
import { openPage, startChromium } from '../support/chromium.js';
import { joinService, type Service } from '../support/service.js';

describe('the interactive API page', () => {
  let service: Service;
  let browser: Browser;

  beforeAll(async () => {
    service = await joinService();
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it('shows every group of operations, runs no foreign script, and asks nobody else for anything', async () => {
    const { page, problems, outside } = await openPage(browser, `${service.baseUrl}/api/docs`);
    for (const text of ['Unified Calendar', 'Events', 'Calendars', 'Free/busy']) {
      await page.getByText(new RegExp(text, 'i')).first().waitFor({ timeout: 30_000 });
    }
    // SCREENSHOT=docs/images/api-docs.png renews the picture of the tour.
    if (process.env['SCREENSHOT'] !== undefined) {
      await page.waitForTimeout(2_000);
      await page.screenshot({ path: process.env['SCREENSHOT'] });
    }
    expect(outside).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('lets the public API be tried out, and none of its scripts reach the operators’', async () => {
    const { page } = await openPage(browser, `${service.baseUrl}/api/docs`);
    const tried = await page.evaluate(
      async ([publicPath = '', operatorPath = '', key = '']) => {
        const statusOf = (path: string, headers = {}): Promise<number | string> =>
          fetch(path, { headers }).then(
            ({ status }) => status,
            () => 'refused by the browser',
          );
        return {
          publicApi: await statusOf(publicPath, { 'x-api-key': key }),
          operatorApi: await statusOf(operatorPath),
          dashboard: await statusOf('/dashboard/'),
        };
      },
      ['/api/v1/endUserAccounts', '/api/operator/v1/session', service.apiKey],
    );
    const rejected = 'refused by the browser';
    expect(tried).toEqual({ publicApi: 200, operatorApi: rejected, dashboard: rejected });
    // Of the same origin: its scripts could act in it as whoever is signed in.
    expect(await page.evaluate(`window.open('/dashboard/') === null`)).toBe(true);
  });
});
