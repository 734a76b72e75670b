import { describe, expect, it } from '@jest/globals';

const { declaredSeconds } = (await import(new URL('./sequencer.mjs', import.meta.url).href)) as {
  declaredSeconds: (text: string) => number;
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
});
