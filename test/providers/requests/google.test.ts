import { openGoogle } from './counted-google.js';
import { countOperations, countPages } from './operation-requests.js';

describe('requests to GOOGLE', () => {
  countOperations(
    openGoogle,
    {
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
      delete: 1,
    },
    (operation) => operation.startsWith('list') || operation.startsWith('sync') || operation.startsWith('occurrences'),
  );

  countPages(openGoogle, 1);
});
