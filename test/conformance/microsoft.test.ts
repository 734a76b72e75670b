import { startMicrosoftSubject } from './microsoft-subject.js';
import { conformance } from './suite.js';

conformance('MICROSOFT in the sandbox', startMicrosoftSubject);
