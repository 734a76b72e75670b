import type { AuthorizationServer } from '#domain/oauth';
import type { AccountSession, CalendarProvider } from '#domain/providers';
import { GuardedEgress, type Egress } from '#egress';
import { MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { oauthSession } from '#domain/testing/oauth-session';
import { startSandbox, type GrantedTokens, type Sandbox } from './sandbox.js';

/** What adapters of all providers are made with here. */
export interface AdapterFixture {
  sandbox: Sandbox;
  egress: Egress;
  budget: UnlimitedRate;
  snapshots: MemorySnapshots;
  timeoutMs: number;
  nowMs: () => number;
}

/** One provider's adapter, and how it gets on with a sandbox. */
export interface SandboxedProvider {
  clientId: string;
  originOf(sandbox: Sandbox): string;
  create(host: AdapterFixture): CalendarProvider;
  grant(sandbox: Sandbox, email: string, scopes?: string[]): Promise<GrantedTokens>;
}

export interface AdapterOnSandbox {
  sandbox: Sandbox;
  budget: UnlimitedRate;
  /** A new adapter, whose breaker and caches have seen nothing yet. */
  provider(settings?: { timeoutMs?: number }): CalendarProvider;
  authorization(): AuthorizationServer;
  /** With a fresh grant. */
  session(email: string, options?: { scopes?: string[]; signal?: AbortSignal }): Promise<AccountSession>;
  stop(): Promise<void>;
}

/** An adapter in this process, over the guarded egress, on a sandbox of its own with clients and people. */
export async function startAdapterOnSandbox(
  provider: SandboxedProvider,
  populate: (sandbox: Sandbox) => Promise<void>,
): Promise<AdapterOnSandbox> {
  const sandbox = await startSandbox();
  try {
    await populate(sandbox);
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
  const adapter = openAdapter(provider, sandbox);
  return {
    ...adapter,
    async stop() {
      await adapter.stop();
      await sandbox.stop();
    },
  };
}

/** An adapter in this process on a sandbox that is there already, and stays. */
export function openAdapter(provider: SandboxedProvider, sandbox: Sandbox): AdapterOnSandbox {
  const egress = new GuardedEgress({ trustedOrigins: [provider.originOf(sandbox)] });
  const budget = new UnlimitedRate();
  const create = ({ timeoutMs = 10_000 } = {}): CalendarProvider =>
    provider.create({ sandbox, egress, budget, timeoutMs, snapshots: new MemorySnapshots(), nowMs: () => Date.now() });
  return {
    sandbox,
    budget,
    provider: create,
    authorization: () => create().authorization!,
    async session(email, { scopes, signal } = {}) {
      const tokens = await provider.grant(sandbox, email, scopes);
      return oauthSession(
        email,
        { clientId: provider.clientId, ...tokens },
        { ...(signal !== undefined && { signal }) },
      );
    },
    stop: () => egress.close(),
  };
}
