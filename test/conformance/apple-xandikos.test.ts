import { startCalDavSubject } from './caldav-subject.js';
import { conformance } from './suite.js';

conformance('APPLE on xandikos', () => startCalDavSubject('xandikos', 'APPLE'));
