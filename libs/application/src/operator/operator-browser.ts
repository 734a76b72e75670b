import { AsyncLocalStorage } from 'node:async_hooks';

export interface OperatorBrowser {
  userAgent: string | undefined;
  network: string;
}

const present = new AsyncLocalStorage<OperatorBrowser>();

export function inBrowser<T>(browser: OperatorBrowser, work: () => T): T {
  return present.run(browser, work);
}

export function currentBrowser(): { device: string | null; network: string | null } {
  const browser = present.getStore();
  return { device: deviceOf(browser?.userAgent ?? ''), network: browser?.network ?? null };
}

/** First match wins, because browsers also name those that they descend from. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.* Safari\//, 'Safari'],
];

const SYSTEMS: [RegExp, string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const MAX_LENGTH = 1_000;

/** `Firefox on Linux`, built from our own words only. null for an unknown browser. */
export function deviceOf(userAgent: string): string | null {
  const text = userAgent.slice(0, MAX_LENGTH);
  const [browser, system] = [BROWSERS, SYSTEMS].map((known) => known.find(([pattern]) => pattern.test(text))?.[1]);
  if (browser === undefined) return system ?? null;
  return system === undefined ? browser : `${browser} on ${system}`;
}
