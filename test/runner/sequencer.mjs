// The longest suites first, so that no core is idle at the end. A suite that takes long says so in its first comment; the
// order of the others is Jest's.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// Jest's own package is CommonJS with its class as a property.
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

/** @param {string} text of a suite. @returns {number} seconds; 0: it does not say */
export const declaredSeconds = (text) => Number(/^\/\/ (\d+) s: /.exec(text)?.[1] ?? 0);

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const seconds = new Map(tests.map(({ path }) => [path, declaredSeconds(readFileSync(path, 'utf8'))]));
    return super.sort(tests).toSorted((a, b) => seconds.get(b.path) - seconds.get(a.path));
  }
}
