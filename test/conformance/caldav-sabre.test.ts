// 25 s: the interface has many requests, and PHP serves one at a time.
import { startCalDavSubject } from './caldav-subject.js';
import { conformance } from './suite.js';

conformance('CALDAV on sabre', () => startCalDavSubject('sabre', 'CALDAV'));
