// Runs in each Jest process before its first suite. Defines `jest` and isolates suites from each other.
import { takeCoverage } from 'node:v8';
import { ModernFakeTimers } from '@jest/fake-timers';
import { addEventHandler } from 'jest-circus';
import { ModuleMocker } from 'jest-mock';
import { resetMetrics } from '../../libs/platform/src/telemetry/instruments.ts';

/** Ends a hung case without failing on a busy machine, for all cases and hooks. Only *.timed.test.ts measures time. */
const TIMEOUT_MS = 600_000;

const { setTimeout, clearTimeout } = globalThis;
const mocks = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis });

/** Pattern of the selected cases. */
const CHOSEN = new RegExp(process.env.TEST_CASES ?? '', 'i');

let timeoutMs = TIMEOUT_MS;
/** Fails the running case or hook. @type {((error: unknown) => void) | undefined} */
let fail;
/** Uncaught errors outside of cases and hooks. @type {unknown[]} */
const uncaught = [];

const jest = {
  fn: mocks.fn.bind(mocks),
  spyOn: mocks.spyOn.bind(mocks),
  replaceProperty: mocks.replaceProperty.bind(mocks),
  restoreAllMocks: () => mocks.restoreAllMocks(),
  useFakeTimers: (options) => timers.useFakeTimers(options),
  useRealTimers: () => timers.useRealTimers(),
  setSystemTime: (now) => timers.setSystemTime(now),
  getTimerCount: () => timers.getTimerCount(),
  advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  setTimeout: (ms) => (timeoutMs = ms),
};
globalThis.jest = jest;

/** Resets everything that suites of one process share. */
function leaveNothing() {
  jest.useRealTimers();
  jest.restoreAllMocks();
  resetMetrics();
  timeoutMs = TIMEOUT_MS;
  writeCoverage();
  reportUncaught();
}

function reportUncaught() {
  if (uncaught.length > 0) throw uncaught.shift();
}

/** @param {() => unknown} run a case or hook; fails at the limit and on uncaught errors */
function watched(run, limitMs = timeoutMs) {
  return async () => {
    reportUncaught();
    let timer;
    const failed = new Promise((_resolve, reject) => {
      fail = reject;
      timer = setTimeout(() => reject(new Error(`not done after ${limitMs} ms`)), limitMs);
    });
    try {
      await Promise.race([Promise.resolve().then(run), failed]);
    } finally {
      clearTimeout(timer);
      fail = undefined;
    }
  };
}

/** Killed processes write no coverage, and a process that writes for a second at its end is killed. */
const COVERAGE_EVERY_MS = 10_000;
let coverageAtMs = performance.now();

function writeCoverage() {
  if (!process.env.NODE_V8_COVERAGE || performance.now() < coverageAtMs + COVERAGE_EVERY_MS) return;
  takeCoverage();
  coverageAtMs = performance.now();
}

if (process.env.NODE_V8_COVERAGE) process.once('SIGTERM', () => process.exit());

for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error) => (fail === undefined ? uncaught.push(error) : fail(error)));

/** @param block of a suite @param {string[]} ancestors names of the blocks around it */
function hasChosen({ children }, ancestors) {
  return children.some((child) => {
    const names = [...ancestors, child.name];
    return child.type === 'describeBlock' ? hasChosen(child, names) : CHOSEN.test(names.join(' '));
  });
}

function namesAround(block) {
  return block.parent ? [...namesAround(block.parent), block.name] : [];
}

const LAST = { type: 'afterAll', fn: leaveNothing };

addEventHandler((event, { rootDescribeBlock, currentDescribeBlock }) => {
  if (event.name === 'add_test') {
    const added = currentDescribeBlock.children.at(-1);
    added.fn = watched(added.fn, event.timeout);
  }
  if (event.name === 'add_hook') {
    const added = currentDescribeBlock.hooks.at(-1);
    const run = watched(added.fn, event.timeout);
    // Hooks run only when a selected case needs them.
    added.fn = async () => (hasChosen(currentDescribeBlock, namesAround(currentDescribeBlock)) ? run() : undefined);
  }
  rootDescribeBlock.hooks = [...rootDescribeBlock.hooks.filter((hook) => hook !== LAST), LAST];
});
