// 45 s: one run through everything that goes wrong, with a worker that meets it in its own time.
import { MICROSOFT } from '../browser/sign-in-subjects.js';
import { describeCanaries } from './oauth-canaries.js';

describeCanaries(MICROSOFT);
