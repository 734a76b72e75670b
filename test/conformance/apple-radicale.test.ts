import { startCalDavSubject } from './caldav-subject.js';
import { conformance } from './suite.js';

conformance('APPLE on radicale', () => startCalDavSubject('radicale', 'APPLE'));
