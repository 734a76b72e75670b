// 32 s: every case of conformance, one account each, and pushes that are waited for.
import { startGoogleSubject } from './google-subject.js';
import { pushConforms } from './notifications.js';
import { conformance } from './suite.js';

conformance('GOOGLE in the sandbox', startGoogleSubject, [pushConforms]);
