import { openMicrosoft } from './counted-microsoft.js';
import { countOperations, countPages } from './operation-requests.js';

describe('requests to MICROSOFT', () => {
  countOperations(
    openMicrosoft,
    {
      'calendars list': 1,
      'calendar get': 1,
      'event get': 1,
      'series get': 1,
      'list without a window': 2,
      'list without a window, changed instances': 3,
      'list of a window': 2,
      'list of a window, expanded and ordered': 2,
      'sync, unchanged': 1,
      occurrences: 2,
      'occurrences, changed instances': 3,
      'free/busy of a month': 1,
      create: 1,
      'create with a key': 1,
      'update of a title': 2,
      'update of an instance': 3,
      'update of a changed instance': 4,
      delete: 1,
    },
    (operation) => operation.startsWith('sync'),
  );

  countPages(openMicrosoft, 1);
});
