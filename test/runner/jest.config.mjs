import { dirname } from 'node:path';

const rootDir = dirname(dirname(import.meta.dirname));

// Node's own modules, shared by the suites of a process: what Jest's default runner loads and compiles for each suite anew is
// two thirds of the time of the pure ones. Processes, not threads: what suites share is known by the id of their process.
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
    // Whatever needs a server.
    { ...base, displayName: 'servers', testMatch: ['<rootDir>/test/**/*.test.ts'] },
  ],
};
