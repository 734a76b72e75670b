import { startMicrosoftSubject } from './microsoft-subject.js';
import { pushConforms } from './push.js';
import { conformance } from './suite.js';

conformance('MICROSOFT in the sandbox', startMicrosoftSubject, [pushConforms]);
