import { describe, expect, it } from '@jest/globals';
import { currentBrowser, deviceOf, inBrowser } from './operator-browser.js';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('what a browser calls itself', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Linux; Android 16) ${WEBKIT} Chrome/142.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/26.0 Safari/605.1.15`, 'Safari on macOS'],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) ${WEBKIT} CriOS/142.0 Mobile/15E148`, 'Chrome on iOS'],
    ['curl/8.16.0', null],
    ['<script>alert(1)</script>', null],
    ['', null],
    ['Version/'.repeat(100_000), null],
  ])('%p is %p', (userAgent, device) => {
    const begun = process.threadCpuUsage();
    expect(deviceOf(userAgent)).toBe(device);
    expect(process.threadCpuUsage(begun).user / 1_000).toBeLessThan(100);
  });

  it('is known while its request is answered, and to nobody else', () => {
    const browser = { userAgent: 'Firefox/140.0', network: '203.0.113.1' };
    expect(inBrowser(browser, currentBrowser)).toEqual({ device: 'Firefox', network: '203.0.113.1' });
    expect(currentBrowser()).toEqual({ device: null, network: null });
  });
});
