import { describe, expect, it } from '@jest/globals';

const { declaredSeconds, urgency } = (await import(new URL('./sequencer.mjs', import.meta.url).href)) as {
  declaredSeconds: (text: string) => number;
  urgency: (path: string, text: string) => number;
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
    expect(urgency('/x/test/persistence/account-health.test.ts', '// 36 s: it waits.\n')).toBe(36);
    expect(urgency('/x/test/conformance/caldav-xandikos.test.ts', '// 35 s: it has many requests.\n')).toBe(Infinity);
    expect(urgency('/x/test/conformance/google.test.ts', '// 32 s: it has many requests.\n')).toBe(32);
    expect(urgency('/x/test/webhooks/pushes.test.ts', '')).toBe(0);
  });
});
