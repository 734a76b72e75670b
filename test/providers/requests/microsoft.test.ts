import { createMicrosoftProvider } from '#providers/microsoft';
import { CountedPermits } from '#providers/microsoft/testing/microsoft-client';
import { MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { oauthSession } from '#domain/testing/oauth-session';
import { openSandbox } from '../../support/opened-sandbox.js';
import { MicrosoftSandboxControls } from '../../support/sandbox-microsoft.js';
import { CountingEgress, type CountedAccount } from './counted-account.js';
import { countOperations, countPages } from './operation-requests.js';

const EMAIL = 'ida@fabrikam.example';
const CLIENT = {
  clientId: '5e2c1a70-0d7c-4a1e-9b57-3b1f6a2d9c02',
  clientSecret: 'adapter-secret',
  redirectUris: ['http://127.0.0.1/'],
};

async function openMicrosoft(): Promise<CountedAccount> {
  const { sandbox, control } = await openSandbox();
  const loginUrl = sandbox.urls.microsoft;
  const egress = new CountingEgress();
  const snapshots = new MemorySnapshots();
  const microsoft = new MicrosoftSandboxControls(loginUrl, control);
  await microsoft.addClient(CLIENT);
  await microsoft.addUser({ email: EMAIL, mailboxTimeZone: 'W. Europe Standard Time' });
  const grant = await microsoft.grant(EMAIL, CLIENT.clientId);
  return {
    egress,
    session: oauthSession(EMAIL, { clientId: CLIENT.clientId, ...grant }),
    provider: () =>
      createMicrosoftProvider({
        ...{ egress, snapshots, budget: new UnlimitedRate(), requestsPerMinute: 100_000, timeoutMs: 30_000 },
        ...{ slots: new CountedPermits(), graphUrl: `${loginUrl}/v1.0`, loginUrl },
        nowMs: () => Date.now(),
      }),
    async close() {
      await egress.close();
      await sandbox.close();
    },
  };
}

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
