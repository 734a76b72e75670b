import { dirname } from 'node:path';

const rootDir = dirname(dirname(import.meta.dirname));

// Suites of a process share Node's native modules: the default runner loads modules per suite, which takes two thirds
// of the time of pure suites. Uses processes, not threads, because suites identify shared resources by process id.
const base = {
  rootDir,
  runner: ['jest-light-runner', { runtime: 'child_process' }],
  setupFilesAfterEnv: ['<rootDir>/test/runner/setup.mjs'],
};

export default {
  rootDir,
  testSequencer: '<rootDir>/test/runner/sequencer.mjs',
  projects: [
    { ...base, displayName: 'unit', testMatch: ['<rootDir>/{apps,clients,libs,test}/**/*.spec.ts'] },
    { ...base, displayName: 'servers', testMatch: ['<rootDir>/test/**/*.test.ts'] },
  ],
};
