import { startCalDavSubject } from './caldav-subject.js';
import { conformance } from './suite.js';

conformance('CALDAV on sabre', () => startCalDavSubject('sabre', 'CALDAV'));
