import { startCalDavSubject } from './caldav-subject.js';
import { conformance } from './suite.js';

conformance('CALDAV on xandikos', () => startCalDavSubject('xandikos', 'CALDAV'));
