import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';

interface Suite {
  path: string;
  context: { config: { cache: boolean }; hasteFS: { getSize: (path: string) => number } };
}
const {
  declaredSeconds,
  urgency,
  default: Sequencer,
} = (await import(new URL('./sequencer.mjs', import.meta.url).href)) as {
  declaredSeconds: (text: string) => number;
  urgency: (path: string, text: string) => number;
  default: new () => { sort: (suites: Suite[]) => Suite[] };
};

describe('the order of suites', () => {
  it.each([
    ['// 45 s: Chromium fills in every form.\nimport x;', 45],
    ['// 45 seconds\n', 0],
    ["import { it } from '@jest/globals';\n// 45 s: too late", 0],
    ['', 0],
  ])('is by what the first comment says: %j', (text, seconds) => {
    expect(declaredSeconds(text)).toBe(seconds);
  });

  it('begins with suites that reach a lib of their own, and goes on with the longest', () => {
    expect(urgency('/x/test/persistence/accounts.test.ts', '')).toBe(Infinity);
    expect(urgency('/x/test/persistence/credential-check.test.ts', '// 36 s: it waits.\n')).toBe(36);
    expect(urgency('/x/test/conformance/caldav-xandikos.test.ts', '// 35 s: it has many requests.\n')).toBe(Infinity);
    expect(urgency('/x/test/conformance/google.test.ts', '// 32 s: it has many requests.\n')).toBe(32);
    expect(urgency('/x/test/webhooks/notifications.test.ts', '')).toBe(0);
  });

  it('runs conformance at two CalDAV servers, the early ones, the longest, the others', () => {
    const order = [
      'conformance/caldav-radicale',
      'conformance/caldav-xandikos',
      'persistence/accounts',
      'conformance/microsoft',
      'conformance/google',
      'webhooks/notifications',
    ].map((name) => join(import.meta.dirname, '..', `${name}.test.ts`));
    // Jest puts larger files first: without an order of ours, all would run the other way round.
    const getSize = (path: string) => order.indexOf(path);
    const context = { config: { cache: false }, hasteFS: { getSize } };
    const sorted = new Sequencer().sort(order.toReversed().map((path) => ({ path, context })));
    expect(sorted.map(({ path }) => path).toSorted()).toEqual(order.toSorted());
    expect(sorted.slice(2).map(({ path }) => path)).toEqual(order.slice(2));
  });
});
