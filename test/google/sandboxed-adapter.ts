import type { AccountSession, AuthorizationServer, CalendarProvider } from '#domain';
import { GuardedEgress } from '#egress';
import { createGoogleProvider } from '#providers/google';
import { MemorySnapshots, UnlimitedBudget } from '../support/memory-stores.js';
import { startSandbox, type Sandbox } from '../support/sandbox.js';

export const CLIENT = {
  clientId: 'adapter.apps.sandbox',
  clientSecret: 'canary-adapter-secret',
  scopes: null,
  tenant: null,
};
export const MARA = 'mara.field@example.com';
export const RAVI = 'ravi.stone@example.com';

export interface SandboxedAdapter {
  sandbox: Sandbox;
  budget: UnlimitedBudget;
  /** A new adapter, whose breaker has seen nothing yet. */
  provider(settings?: { timeoutMs?: number }): CalendarProvider;
  authorization(): AuthorizationServer;
  /** With a fresh grant. */
  session(email: string, options?: { scopes?: string[]; signal?: AbortSignal }): Promise<AccountSession>;
  stop(): Promise<void>;
}

/** The adapter in this process, over the guarded egress, on a sandbox with two people. */
export async function startSandboxedAdapter(): Promise<SandboxedAdapter> {
  const sandbox = await startSandbox();
  const { clientId, clientSecret } = CLIENT;
  try {
    await sandbox.addClient({ clientId, clientSecret, redirectUris: ['http://127.0.0.1/cb'] });
    for (const email of [MARA, RAVI]) await sandbox.addUser({ email, timeZone: 'Europe/Lisbon' });
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
  const egress = new GuardedEgress({ trustedOrigins: [sandbox.googleUrl] });
  const budget = new UnlimitedBudget();
  const provider = ({ timeoutMs = 10_000 } = {}): CalendarProvider =>
    createGoogleProvider({
      egress,
      budget,
      snapshots: new MemorySnapshots(),
      apiUrl: sandbox.googleUrl,
      oauthUrl: sandbox.googleUrl,
      tokenUrl: sandbox.googleUrl,
      requestsPerMinute: 600,
      timeoutMs,
      nowMs: () => Date.now(),
    });
  return {
    sandbox,
    budget,
    provider,
    authorization: () => provider().authorization!,
    async session(email, { scopes, signal = new AbortController().signal } = {}) {
      const { accessToken, refreshToken } = await sandbox.grant(email, clientId, scopes);
      return {
        applicationId: 'application',
        accountId: email,
        email,
        serverUrl: null,
        credentials: { kind: 'oauth', clientId, accessToken, refreshToken, expiresAt: null },
        providerState: null,
        signal,
        saveProviderState: async () => undefined,
      };
    },
    async stop() {
      await egress.close();
      await sandbox.stop();
    },
  };
}
