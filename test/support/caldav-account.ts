import type { AccountSession, ConnectedAccount } from '#domain/providers';
import type { JsonObject } from '#domain/system';
import { GuardedEgress, type Egress } from '#egress';
import {
  AccountClientCache,
  openConnection,
  type CalDavAccountClient,
  type CalDavClientDeps,
} from '../../libs/providers/caldav/account-client.js';
import { Servers } from '../../libs/providers/caldav/servers.js';
import { connectAccount } from '../../libs/providers/caldav/discovery.js';
import { CALDAV_FLAVOR, type CalDavFlavor } from '../../libs/providers/caldav/flavor.js';
import { UnlimitedRate } from '#domain/testing/memory-stores';
import { Admission } from '#providers/kit/calls';

/** What a test says about the server it connects to. */
export interface ServerUnderTest {
  url: string;
  egressAllow: string;
  login: { username: string; password: string };
}

/** One installation's adapter layer below the provider class, on a guarded egress that may reach the server under test. */
export class CalDavBench {
  readonly egress: Egress;
  readonly budget = new UnlimitedRate();
  readonly requestsPerMinute = 240;
  readonly connections = new AccountClientCache();
  readonly servers = new Servers();
  /** Every provider state that was saved. */
  readonly saved: JsonObject[] = [];
  /** Added to the clock, milliseconds. */
  skewMs = 0;

  constructor(
    private readonly server: ServerUnderTest,
    readonly flavor: CalDavFlavor = CALDAV_FLAVOR,
    allow = server.egressAllow,
  ) {
    this.egress = new GuardedEgress({ allow });
  }

  get deps(): CalDavClientDeps {
    return {
      egress: this.egress,
      connections: this.connections,
      servers: this.servers,
      nowMs: () => Date.now() + this.skewMs,
    };
  }

  connect(serverUrl = this.server.url, password = this.server.login.password): Promise<ConnectedAccount> {
    return connectAccount(this.flavor, this.deps, {
      applicationId: 'app',
      email: this.server.login.username,
      serverUrl,
      credentials: { kind: 'password', password },
      signal: AbortSignal.timeout(60_000),
    });
  }

  session(
    connected: Pick<ConnectedAccount, 'serverUrl' | 'providerState'>,
    changes: Partial<AccountSession> = {},
  ): AccountSession {
    return {
      applicationId: 'app',
      accountId: 'account',
      email: this.server.login.username,
      serverUrl: connected.serverUrl,
      credentials: { kind: 'password', password: this.server.login.password },
      providerState: connected.providerState,
      signal: AbortSignal.timeout(60_000),
      saveProviderState: async (state) => {
        this.saved.push(state);
      },
      ...changes,
    };
  }

  open(session: AccountSession): Promise<CalDavAccountClient> {
    return openConnection(this.flavor, this.deps, session, new Admission(this, session));
  }

  async connection(changes: Partial<AccountSession> = {}): Promise<CalDavAccountClient> {
    return this.open(this.session(await this.connect(), changes));
  }

  close(): Promise<void> {
    return this.egress.close();
  }
}

/** A DomainError as tests compare it; anything else is thrown on. */
export async function failure(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.name === 'DomainError') {
      return { code: String(error.code), message: error.message };
    }
    throw error;
  }
  return { code: 'none', message: '' };
}
