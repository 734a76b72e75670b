// 40 s: every case of conformance, one account each, and pushes that are waited for.
import { startMicrosoftSubject } from './microsoft-subject.js';
import { pushConforms } from './notifications.js';
import { conformance } from './suite.js';

conformance('MICROSOFT in the sandbox', startMicrosoftSubject, [pushConforms]);
