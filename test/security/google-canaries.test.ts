// 45 s: one run through everything that goes wrong, with a worker that meets it in its own time.
import { jest } from '@jest/globals';
import { GOOGLE } from '../browser/sign-in-subjects.js';
import { describeCanaries } from './oauth-canaries.js';

/** Other suites may have the machine at the same time. */
jest.setTimeout(180_000);

describeCanaries(GOOGLE);
