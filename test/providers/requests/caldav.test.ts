import type { AccountSession } from '#domain/providers';
import { MemoryPrivateProperties, MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { CALDAV_FLAVOR, createCalDavProvider } from '#providers/caldav';
import { ServerFacts } from '../../../libs/providers/caldav/server-facts.js';
import { Servers } from '../../../libs/providers/caldav/servers.js';
import { UnreadableObjects } from '#providers/kit/definition';
import type { CalDavServer } from '../../support/caldav-server.js';
import { startRadicale } from '../../support/radicale.js';
import { startXandikos } from '../../support/xandikos.js';
import { CountingEgress, type CountedAccount } from './counted-account.js';
import { countOperations, countPages, type OperationRequests } from './operation-requests.js';

class NoUnreadableObjects extends UnreadableObjects {
  override report({ href, reason }: { href: string; reason: string }): void {
    throw new Error(`${href}: ${reason}`);
  }
}

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

async function openCalDav(start: () => Promise<CalDavServer>): Promise<CountedAccount> {
  const server = await start();
  const egress = new CountingEgress();
  const facts = new ServerFacts();
  const deps = {
    ...{ egress, budget: new UnlimitedRate(), requestsPerMinute: 100_000 },
    ...{ privateProperties: new MemoryPrivateProperties(), snapshots: new MemorySnapshots() },
    unreadable: new NoUnreadableObjects(),
    nowMs: () => Date.now(),
  };
  const login = {
    applicationId: 'app',
    email: server.username,
    credentials: { kind: 'password', password: server.password },
    signal: AbortSignal.timeout(300_000),
  } as const;
  const connected = await createCalDavProvider(deps).connect({ ...login, serverUrl: server.url });
  const session: AccountSession = {
    ...login,
    accountId: 'account',
    serverUrl: connected.serverUrl,
    providerState: connected.providerState,
    saveProviderState: async () => undefined,
  };
  return {
    egress,
    session,
    // What is known of the server outlasts the caches of calendars.
    provider: () => createCalDavProvider(deps, CALDAV_FLAVOR, new Servers(), facts),
    async close() {
      await egress.close();
      await server.stop();
    },
  };
}

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
