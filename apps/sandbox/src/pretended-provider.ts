import { AsyncLocalStorage } from 'node:async_hooks';
import type { SandboxClock } from './clock.js';
import type { ControlRoute } from './control/routes.js';
import { FaultList } from './faults/fault-list.js';
import type { Delivery } from './http/delivery.js';
import type { HttpRequest } from './http/message.js';
import type { Journal } from './journal.js';
import { Messages } from './notifications/messages.js';
import type { AuthorizationServer } from './oauth/authorization-server.js';
import type { OAuthClient } from './oauth/clients.js';
import { SIGNING_KEY, SigningKey } from './oauth/signing-key.js';
import { Memory } from './state/memory.js';

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

interface Users<User, NewUser> {
  all(): User[];
  /** @throws AccountTaken */
  add(user: NewUser): User;
  remove(address: string): User | undefined;
}

/** Everything that a pretended provider knows, as far as providers are alike. */
export abstract class ProviderState<User, NewUser, Client extends OAuthClient> {
  /** What outlives a restart: not codes, browsers' sessions, faults and messages on their way. */
  readonly memory = new Memory();
  readonly faults = new FaultList();
  readonly signingKey = new SigningKey(this.memory);
  readonly messages: Messages;
  abstract readonly users: Users<User, NewUser>;
  abstract readonly oauth: AuthorizationServer<User, Client>;
  /** Where objections of the calendars go, request by request. */
  readonly #noting = new AsyncLocalStorage<(message: string) => void>();

  /** @param isRetried whether an answer to a notification means: try again */
  constructor(isRetried: (status: number) => boolean) {
    this.messages = new Messages(fetch, isRetried);
  }

  /** The provider's calendars. */
  protected abstract get calendars(): { addUser(user: User): void; reset(): void };

  /** @throws AccountTaken */
  addUser(newUser: NewUser): User {
    const user = this.users.add(newUser);
    this.calendars.addUser(user);
    return user;
  }

  /** The account goes, and with it every consent and every session. */
  removeUser(address: string): boolean {
    const user = this.users.remove(address);
    if (user === undefined) return false;
    this.oauth.removeUser(user);
    return true;
  }

  /** Runs the calendars' own code; what they object to meanwhile goes to `note`. */
  during<T>(note: (message: string) => void, run: () => T): T {
    return this.#noting.run(note, run);
  }

  /** @param snapshot of the memory, in this process or an earlier one */
  restore(snapshot: unknown): void {
    this.memory.restore(snapshot);
    this.memory.skipAhead();
    this.oauth.grants.forgetEndedAccessTokens();
  }

  reset(): void {
    this.faults.clear();
    this.memory.clear(SIGNING_KEY);
    this.oauth.clearSignIns();
    this.messages.reset();
    this.calendars.reset();
  }

  /** Tells of what a correct client does not send. */
  protected readonly object = (message: string): void => this.#noting.getStore()?.(message);
}

/** One provider's own parts. */
interface ProviderParts<User, NewUser, Client extends OAuthClient> extends Pick<
  PretendedProvider,
  'journal' | 'controls' | 'seed'
> {
  state: ProviderState<User, NewUser, Client>;
  endpoints: Pick<PretendedProvider, 'handle'> & Partial<Pick<PretendedProvider, 'reset'>>;
  demoClientId: string;
  /** Of the demo client. */
  redirectUris: readonly string[];
}

export function pretendedProvider<User, NewUser, Client extends OAuthClient>({
  state,
  endpoints,
  demoClientId,
  redirectUris,
  ...own
}: ProviderParts<User, NewUser, Client>): PretendedProvider {
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
