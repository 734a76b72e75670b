// For each process of Jest, before its first suite: `jest`, and what a suite may rely on whichever ran before it.
import { takeCoverage } from 'node:v8';
import { ModernFakeTimers } from '@jest/fake-timers';
import { addEventHandler } from 'jest-circus';
import { ModuleMocker } from 'jest-mock';
import { resetMetrics } from '../../libs/platform/src/telemetry/instruments.ts';

/** A hung case must end; a busy machine must not end one. Nothing else measures time but *.timed.test.ts. */
const TIMEOUT_MS = 180_000;

const { setTimeout, clearTimeout } = globalThis;
const mocks = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis });

/** Of the cases that run, where not all do. */
const CHOSEN = new RegExp(process.env.TEST_CASES ?? '', 'i');

let timeoutMs = TIMEOUT_MS;
/** Ends what runs at this moment, a case or a hook. @type {((error: unknown) => void) | undefined} */
let fail;
/** An error that nobody caught while nothing ran. @type {unknown[]} */
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

/** A suite that replaced something of what all suites of this process share, has it no more when the next one begins. */
function leaveNothing() {
  jest.useRealTimers();
  jest.restoreAllMocks();
  resetMetrics();
  timeoutMs = TIMEOUT_MS;
  writeCoverage();
  tellUncaught();
}

function tellUncaught() {
  if (uncaught.length > 0) throw uncaught.shift();
}

/** @param {() => unknown} run a case or a hook; one that takes longer fails, and one whose errors nobody caught */
function watched(run, limitMs = timeoutMs) {
  return async () => {
    tellUncaught();
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

/** A process that is killed writes no coverage, and one that ends is killed when writing takes it a second. */
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

/** @param block of a suite @param {string[]} ancestors names of those around it */
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
    // Nothing is started for cases that do not run.
    added.fn = async () => (hasChosen(currentDescribeBlock, namesAround(currentDescribeBlock)) ? run() : undefined);
  }
  rootDescribeBlock.hooks = [...rootDescribeBlock.hooks.filter((hook) => hook !== LAST), LAST];
});
