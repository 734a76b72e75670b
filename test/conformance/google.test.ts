import { startGoogleSubject } from './google-subject.js';
import { conformance } from './suite.js';

conformance('GOOGLE in the sandbox', startGoogleSubject);
