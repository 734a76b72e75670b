import { AsyncLocalStorage } from 'node:async_hooks';
import type { SandboxClock } from './clock.js';
import type { ControlRoute } from './control/routes.js';
import type { DemoClient } from './demo-clients.js';
import { FaultList } from './faults/fault-list.js';
import type { Delivery } from './http/delivery.js';
import type { HttpRequest } from './http/message.js';
import type { Journal } from './journal.js';
import { Messages } from './notifications/messages.js';
import type { AuthorizationServer } from './oauth/authorization-server.js';
import type { OAuthClient } from './oauth/clients.js';
import { SIGNING_KEY, SigningKey } from './oauth/signing-key.js';
import { Memory } from './state/memory.js';

/** Environment of a provider. */
export interface ProviderContext {
  clock: SandboxClock;
  /** Redirect URIs of the demo clients. */
  redirectUris: readonly string[];
  demoClient: DemoClient;
  /** Client of the OpenID provider. */
  operatorsClient: DemoClient;
  /** Public origin, known from the first request on. */
  url: () => string;
}

/** A simulated provider on this machine. */
export interface SandboxProvider {
  readonly journal: Journal;
  readonly controls: readonly ControlRoute[];
  handle(request: HttpRequest): Promise<Delivery>;
  /** Adds demo data. */
  seed(): void | Promise<void>;
  /** Updates the demo client, because the service may have moved. */
  followRedirectUris(): void;
  /** Starts slow work before the first requests. */
  prepare(): void;
  /** State that survives a restart, as JSON. */
  snapshot(): unknown;
  /** @param snapshot from {@link snapshot}, in this process or an earlier one */
  restore(snapshot: unknown): void;
  /** Discards all state. */
  reset(): void;
  /** Stops sending notifications. */
  close(): void;
}

interface Users<User, NewUser> {
  all(): User[];
  /** @throws AccountTaken */
  add(user: NewUser): User;
  remove(address: string): User | undefined;
}

/** Common state of simulated providers. */
export abstract class ProviderState<User, NewUser, Client extends OAuthClient> {
  /** State that survives a restart: all but codes, browser sessions, faults and pending messages. */
  readonly memory = new Memory();
  readonly faults = new FaultList();
  readonly signingKey = new SigningKey(this.memory);
  readonly messages: Messages;
  abstract readonly users: Users<User, NewUser>;
  abstract readonly oauth: AuthorizationServer<User, Client>;
  /** Receiver of violations, per request. */
  readonly #noting = new AsyncLocalStorage<(message: string) => void>();

  /** @param isRetried true for statuses of a notification that cause a retry */
  constructor(isRetried: (status: number) => boolean) {
    this.messages = new Messages(fetch, isRetried);
  }

  protected abstract get calendars(): { addUser(user: User): void; reset(): void };

  /** @throws AccountTaken */
  addUser(newUser: NewUser): User {
    const user = this.users.add(newUser);
    this.calendars.addUser(user);
    return user;
  }

  /** Deletes the account with its grants and sessions. */
  removeUser(address: string): boolean {
    const user = this.users.remove(address);
    if (user === undefined) return false;
    this.oauth.removeUser(user);
    return true;
  }

  /** Runs calendar code; its violations go to `note`. */
  during<T>(note: (message: string) => void, run: () => T): T {
    return this.#noting.run(note, run);
  }

  /** @param snapshot of the memory, from this process or an earlier one */
  restore(snapshot: unknown): void {
    this.memory.restore(snapshot);
    this.memory.skipAhead();
    this.oauth.grants.deleteEndedAccessTokens();
  }

  reset(): void {
    this.faults.clear();
    this.memory.clear(SIGNING_KEY);
    this.oauth.clearSignIns();
    this.messages.reset();
    this.calendars.reset();
  }

  /** Records a violation of the current request. */
  protected readonly object = (message: string): void => this.#noting.getStore()?.(message);
}

/** Provider-specific parts. */
interface ProviderParts<User, NewUser, Client extends OAuthClient> extends Pick<
  SandboxProvider,
  'journal' | 'controls' | 'seed'
> {
  state: ProviderState<User, NewUser, Client>;
  endpoints: Pick<SandboxProvider, 'handle'> & Partial<Pick<SandboxProvider, 'reset'>>;
  demoClientId: string;
  /** Redirect URIs of the demo client. */
  redirectUris: readonly string[];
}

export function sandboxProvider<User, NewUser, Client extends OAuthClient>({
  state,
  endpoints,
  demoClientId,
  redirectUris,
  ...own
}: ProviderParts<User, NewUser, Client>): SandboxProvider {
  return {
    ...own,
    handle: (request) => endpoints.handle(request),
    followRedirectUris() {
      const { clients } = state.oauth;
      const client = clients.find(demoClientId);
      if (client !== undefined) clients.put({ ...client, redirectUris });
    },
    prepare: () => void state.signingKey.prepare(),
    snapshot: () => state.memory.snapshot(),
    restore: (snapshot) => state.restore(snapshot),
    reset() {
      state.reset();
      endpoints.reset?.();
      own.journal.clear();
    },
    close: () => state.messages.close(),
  };
}
