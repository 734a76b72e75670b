import { AsyncLocalStorage } from 'node:async_hooks';

/** The browser that a request of an operator comes from, as far as it says so. */
export interface OperatorBrowser {
  userAgent: string | undefined;
  network: string;
}

const present = new AsyncLocalStorage<OperatorBrowser>();

/** Sessions that `work` begins are this browser's. */
export function inBrowser<T>(browser: OperatorBrowser, work: () => T): T {
  return present.run(browser, work);
}

/** For the list of an operator's sessions. */
export function currentBrowser(): { device: string | null; network: string | null } {
  const browser = present.getStore();
  return { device: deviceOf(browser?.userAgent ?? ''), network: browser?.network ?? null };
}

/** The first that fits: browsers name those that they descend from as well. */
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

/** `Firefox on Linux`: of what a header says, words of ours alone. null: nothing that is known. */
export function deviceOf(userAgent: string): string | null {
  const text = userAgent.slice(0, MAX_LENGTH);
  const [browser, system] = [BROWSERS, SYSTEMS].map((known) => known.find(([pattern]) => pattern.test(text))?.[1]);
  if (browser === undefined) return system ?? null;
  return system === undefined ? browser : `${browser} on ${system}`;
}
