import type { AccountSession } from '#domain/providers';
import { CountedPermits, MemoryPrivateProperties, MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { CALDAV_FLAVOR, createCalDavProvider } from '#providers/caldav';
import { ServerFacts } from '../../../libs/providers/caldav/server-facts.js';
import { Servers } from '../../../libs/providers/caldav/servers.js';
import { UnreadableObjects } from '#providers/kit/definition';
import type { CalDavServer } from '../../support/caldav-server.js';
import { CountingEgress, type CountedAccount } from './counted-account.js';

class NoUnreadableObjects extends UnreadableObjects {
  override report({ href, reason }: { href: string; reason: string }): void {
    throw new Error(`${href}: ${reason}`);
  }
}

export async function openCalDav(start: () => Promise<CalDavServer>): Promise<CountedAccount> {
  const server = await start();
  const egress = new CountingEgress();
  const facts = new ServerFacts();
  const deps = {
    ...{ egress, budget: new UnlimitedRate(), slots: new CountedPermits(), requestsPerMinute: 100_000 },
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
