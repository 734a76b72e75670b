import { dirname } from 'node:path';

const rootDir = dirname(dirname(import.meta.dirname));

const base = {
  rootDir,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  resolver: '<rootDir>/test/runner/resolve-libs.cjs',
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
};

export default {
  rootDir,
  // A hung test must end; a busy machine must not end one. Nothing else measures time but *.timed.test.ts.
  testTimeout: 180_000,
  testSequencer: '<rootDir>/test/runner/sequencer.mjs',
  projects: [
    { ...base, displayName: 'unit', testMatch: ['<rootDir>/{apps,clients,libs,test}/**/*.spec.ts'] },
    // Whatever needs a server: test/<tier>/**/*.test.ts
    { ...base, displayName: 'servers', testMatch: ['<rootDir>/test/**/*.test.ts'] },
  ],
};
