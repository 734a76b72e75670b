// 35 s: Radicale takes 20 to 50 ms for a request, and the interface has many.
import { startCalDavSubject } from './caldav-subject.js';
import { conformance } from './suite.js';

conformance('APPLE on radicale', () => startCalDavSubject('radicale', 'APPLE'));
