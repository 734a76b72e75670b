import { startRadicale } from '../../support/radicale.js';
import { startXandikos } from '../../support/xandikos.js';
import { openCalDav } from './counted-caldav.js';
import { countOperations, countPages, type OperationRequests } from './operation-requests.js';

const MOST: OperationRequests = {
  'calendars list': 1,
  'calendar get': 1,
  'event get': 1,
  'series get': 1,
  'list without a window': 1,
  'list without a window, changed instances': 1,
  'list of a window': 1,
  'list of a window, expanded and ordered': 1,
  'sync, unchanged': 1,
  occurrences: 1,
  'occurrences, changed instances': 1,
  'free/busy of a month': 1,
  create: 1,
  'create with a key': 1,
  'update of a title': 2,
  'update of an instance': 2,
  'update of a changed instance': 2,
  delete: 2,
};

describe('requests to CALDAV on Radicale', () => {
  countOperations(() => openCalDav(startRadicale), MOST);
  countPages(() => openCalDav(startRadicale), 1);
});

describe('requests to CALDAV on Xandikos', () => {
  countOperations(() => openCalDav(startXandikos), {
    ...MOST,
    // It leaves bodies out of its sync-collection report.
    'list without a window': 2,
    'list without a window, changed instances': 2,
  });
});
