import { jest } from '@jest/globals';
import { MICROSOFT } from '../browser/sign-in-subjects.js';
import { describeCanaries } from './oauth-canaries.js';

/** Other suites may have the machine at the same time. */
jest.setTimeout(60_000);

describeCanaries(MICROSOFT);
