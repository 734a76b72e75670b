import type { Page } from 'playwright-core';

/** WCAG 2.2, success criterion 1.4.3: of text and what is behind it. */
const MIN_CONTRAST = 4.5;

/** Runs in the page. */
const SCRIPT = `(() => {
  const problems = [];
  const excess = document.documentElement.scrollWidth - window.innerWidth;
  if (excess > 0) problems.push('scrolls sideways by ' + excess + ' px');

  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return channels(color)[3] === 0 && element.parentElement !== null ? ground(element.parentElement) : color;
  };

  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  if (luminance(ground(document.body)) < 0.5 !== isDark) problems.push('is not in the colours that were asked for');

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement: element } = texts.currentNode;
    if (data.trim() === '') continue;
    const [dark, light] = [luminance(getComputedStyle(element).color), luminance(ground(element))].sort((a, b) => a - b);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < ${MIN_CONTRAST}) problems.push(contrast.toFixed(1) + ' is too little contrast: ' + data.trim());
  }
  return problems;
})()`;

/** What keeps a person from reading the page in this window: empty when nothing does. */
export function readingProblems(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(SCRIPT);
}
