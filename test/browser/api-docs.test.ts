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
    // SCREENSHOT=docs/images/api-docs.png renews the picture of the README.
    if (process.env['SCREENSHOT'] !== undefined) {
      await page.waitForTimeout(2_000);
      await page.screenshot({ path: process.env['SCREENSHOT'] });
    }
    expect(outside).toEqual([]);
    expect(problems).toEqual([]);
  });
});
