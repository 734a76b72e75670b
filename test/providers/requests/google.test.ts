import { createGoogleProvider } from '#providers/google';
import { MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { oauthSession } from '#domain/testing/oauth-session';
import { openSandbox } from '../../support/opened-sandbox.js';
import { CountingEgress, type CountedAccount } from './counted-account.js';
import { countOperations, countPages } from './operation-requests.js';

const EMAIL = 'alice@example.test';
const CLIENT = {
  clientId: 'adapter.apps.sandbox',
  clientSecret: 'adapter-secret',
  redirectUris: ['http://127.0.0.1/'],
};
const SCOPES = ['openid', 'email', 'https://www.googleapis.com/auth/calendar'];

async function openGoogle(): Promise<CountedAccount> {
  const { sandbox, control } = await openSandbox();
  const { google } = sandbox.urls;
  const egress = new CountingEgress();
  const snapshots = new MemorySnapshots();
  await control('POST', '/google/clients', CLIENT);
  await control('POST', '/google/users', { email: EMAIL, timeZone: 'Europe/Berlin', workspace: true });
  const grant = await control('POST', '/google/grants', { email: EMAIL, clientId: CLIENT.clientId, scopes: SCOPES });
  return {
    egress,
    session: oauthSession(EMAIL, { clientId: CLIENT.clientId, ...grant }),
    provider: () =>
      createGoogleProvider({
        ...{ egress, snapshots, budget: new UnlimitedRate(), requestsPerMinute: 100_000, timeoutMs: 30_000 },
        ...{ apiUrl: google, oauthUrl: google, tokenUrl: google },
        nowMs: () => Date.now(),
      }),
    async close() {
      await egress.close();
      await sandbox.close();
    },
  };
}

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
