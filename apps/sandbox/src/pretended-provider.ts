import type { SandboxClock } from './clock.js';
import type { ControlRoute } from './control/routes.js';
import type { Delivery } from './http/delivery.js';
import type { HttpRequest } from './http/message.js';
import type { Journal } from './journal.js';
import type { Clients, OAuthClient } from './oauth/clients.js';
import type { Memory } from './state/memory.js';

/** What a provider is made of, besides itself. */
export interface ProviderSite {
  clock: SandboxClock;
  /** Of the demo clients. */
  redirectUris: readonly string[];
  /** Origin under which browsers and services find it; known from its first request on. */
  url: () => string;
}

/** A provider that runs on this machine, as the house around it sees it. */
export interface PretendedProvider {
  readonly journal: Journal;
  /** How it is steered. */
  readonly controls: readonly ControlRoute[];
  handle(request: HttpRequest): Promise<Delivery>;
  /** Puts in what a newcomer tries the service with. */
  seed(): void | Promise<void>;
  /** The service may run elsewhere than when the demo client was made. */
  followRedirectUris(): void;
  /** Begins what the first requests would have to wait for. */
  prepare(): void;
  /** What outlives a restart, as JSON. */
  snapshot(): unknown;
  /** @param snapshot what {@link snapshot} gave, in this process or an earlier one */
  restore(snapshot: unknown): void;
  /** Forgets everything. */
  reset(): void;
  /** Sends nothing any more. */
  close(): void;
}

/** One provider's own parts. */
export interface ProviderParts<Client extends OAuthClient> extends Pick<
  PretendedProvider,
  'journal' | 'controls' | 'seed'
> {
  state: {
    readonly memory: Memory;
    readonly oauth: { clients: Pick<Clients<Client>, 'find' | 'put'>; grants: { forgetEndedAccessTokens(): void } };
    readonly signingKey: { prepare(): unknown };
    readonly messages: { close(): void };
    reset(): void;
  };
  endpoints: Pick<PretendedProvider, 'handle'> & Partial<Pick<PretendedProvider, 'reset'>>;
  demoClientId: string;
  /** Of the demo client. */
  redirectUris: readonly string[];
}

export function pretendedProvider<Client extends OAuthClient>({
  journal,
  controls,
  seed,
  state,
  endpoints,
  demoClientId,
  redirectUris,
}: ProviderParts<Client>): PretendedProvider {
  return {
    journal,
    controls,
    seed,
    handle: (request) => endpoints.handle(request),
    followRedirectUris() {
      const { clients } = state.oauth;
      const client = clients.find(demoClientId);
      if (client !== undefined) clients.put({ ...client, redirectUris });
    },
    prepare: () => void state.signingKey.prepare(),
    snapshot: () => state.memory.snapshot(),
    restore(snapshot) {
      state.memory.restore(snapshot);
      state.memory.skipAhead();
      state.oauth.grants.forgetEndedAccessTokens();
    },
    reset() {
      state.reset();
      endpoints.reset?.();
      journal.clear();
    },
    close: () => state.messages.close(),
  };
}
