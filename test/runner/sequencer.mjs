// Runs first the suites that detect a broken lib early, then the longest ones, so that no core is idle at the
// end. The first comment of a long suite states its time.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// The package is CommonJS and exports its class as a property.
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

/** @param {string} text of a suite. @returns {number} seconds; 0 when the suite states none */
export const declaredSeconds = (text) => Number(/^\/\/ (\d+) s: /.exec(text)?.[1] ?? 0);

/** Real servers decide what the CalDAV adapter has to do: few of its lines are reached without them. */
const ADAPTER = /\/test\/conformance\/caldav-(?:radicale|xandikos)/;

/** These suites together reach every other lib that pure suites do not reach. */
const EARLY = /\/test\/(?:persistence|api\/(?:http|oauth)|security\/egress)/;

/** @param {string} path of a suite @param {string} text of it. @returns {number} the higher, the earlier it runs */
export const urgency = (path, text) => {
  const seconds = declaredSeconds(text);
  return ADAPTER.test(path) || (seconds === 0 && EARLY.test(path)) ? Infinity : seconds;
};

export default class EarlyThenLongest extends Sequencer {
  sort(tests) {
    const urgencies = new Map(tests.map(({ path }) => [path, urgency(path, readFileSync(path, 'utf8'))]));
    const byAdapter = (a, b) => Number(ADAPTER.test(b.path)) - Number(ADAPTER.test(a.path));
    // Two infinite urgencies differ by NaN, which a sort takes for equal.
    const byUrgency = (a, b) => urgencies.get(b.path) - urgencies.get(a.path);
    return super.sort(tests).toSorted((a, b) => byAdapter(a, b) || byUrgency(a, b));
  }
}
