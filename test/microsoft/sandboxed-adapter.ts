import type { AccountSession, AuthorizationServer, CalendarProvider } from '#domain';
import { GuardedEgress } from '#egress';
import { createMicrosoftProvider } from '#providers/microsoft';
import { MemorySnapshots, UnlimitedBudget } from '../support/memory-stores.js';
import { startSandbox, type Sandbox } from '../support/sandbox.js';
import { CountedSlots, sessionOf } from './microsoft-connection.js';

export const CLIENT = {
  clientId: '0a5c2b7e-3d41-4f60-9c11-1f2e3d4c5b6a',
  clientSecret: 'canary-adapter-secret',
  scopes: null,
  tenant: null,
};
/** A work account, and a personal one. */
export const IDA = 'ida.berg@fabrikam.example';
export const PIA = 'pia.lind@outlook.example';

export interface SandboxedAdapter {
  sandbox: Sandbox;
  budget: UnlimitedBudget;
  slots: CountedSlots;
  /** A new adapter, whose breaker and caches have seen nothing yet. */
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
    await sandbox.microsoft.addClient({ clientId, clientSecret, redirectUris: ['http://127.0.0.1/cb'] });
    await sandbox.microsoft.addUser({ email: IDA, kind: 'work', mailboxTimeZone: 'W. Europe Standard Time' });
    await sandbox.microsoft.addUser({ email: PIA, kind: 'personal', mailboxTimeZone: 'GMT Standard Time' });
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
  const egress = new GuardedEgress({ trustedOrigins: [sandbox.microsoftUrl] });
  const budget = new UnlimitedBudget();
  const slots = new CountedSlots();
  const provider = ({ timeoutMs = 10_000 } = {}): CalendarProvider =>
    createMicrosoftProvider({
      egress,
      budget,
      slots,
      snapshots: new MemorySnapshots(),
      graphUrl: sandbox.microsoftUrl,
      loginUrl: sandbox.microsoftUrl,
      requestsPerMinute: 1_000,
      timeoutMs,
      nowMs: () => Date.now(),
    });
  return {
    sandbox,
    budget,
    slots,
    provider,
    authorization: () => provider().authorization!,
    async session(email, { scopes, signal = new AbortController().signal } = {}) {
      const { accessToken, refreshToken } = await sandbox.microsoft.grant(email, clientId, scopes);
      return sessionOf({
        accountId: email,
        email,
        credentials: { kind: 'oauth', clientId, accessToken, refreshToken, expiresAt: null },
        signal,
      });
    },
    async stop() {
      await egress.close();
      await sandbox.stop();
    },
  };
}
