import { AsyncLocalStorage } from 'node:async_hooks';
import type { JWK } from 'jose';
import type { SandboxClock } from '../clock.js';
import { FaultList } from '../faults/fault-list.js';
import type { Journal } from '../journal.js';
import { Messages } from '../notifications/messages.js';
import { AuthorizationServer } from '../oauth/authorization-server.js';
import type { ClientsSnapshot } from '../oauth/clients.js';
import type { GrantsSnapshot } from '../oauth/grants.js';
import { SigningKey } from '../oauth/signing-key.js';
import { createGraphApi } from './calendar/index.js';
import type { GraphApi, MicrosoftUser } from './contract.js';
import { Throttle } from './graph/throttle.js';
import { microsoftDialect, type MicrosoftClient } from './identity/dialect.js';
import { Directories, type DirectoriesSnapshot } from './identity/tenants.js';
import { consentsToNotifications } from './receivers.js';
import { addressOf, MicrosoftUsers, type NewMicrosoftUser } from './users.js';

export interface MicrosoftSandboxDeps {
  clock: SandboxClock;
  journal: Journal;
  /** Origin of Graph and the identity platform as clients know it. */
  url: () => string;
}

/** What outlives a restart: not codes, browsers' sessions, faults and messages on their way. */
export interface MicrosoftSnapshot {
  users: MicrosoftUser[];
  clients: ClientsSnapshot<MicrosoftClient>;
  directories: DirectoriesSnapshot;
  grants: GrantsSnapshot<MicrosoftUser>;
  signingKey: JWK | null;
  graph: unknown;
}

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#process-the-change-notification */
const isRetried = (status: number): boolean => status < 200 || status > 299;

/** Everything that the pretended Microsoft knows. */
export class MicrosoftSandbox {
  readonly faults = new FaultList();
  readonly users = new MicrosoftUsers();
  readonly directories = new Directories();
  readonly signingKey = new SigningKey();
  readonly oauth: AuthorizationServer<MicrosoftUser, MicrosoftClient>;
  readonly throttle: Throttle;
  readonly messages: Messages;
  readonly graph: GraphApi;
  /** Where objections of the calendars go, request by request. */
  readonly #noting = new AsyncLocalStorage<(message: string) => void>();

  constructor({ clock, journal, url }: MicrosoftSandboxDeps) {
    const { users, directories, signingKey } = this;
    this.oauth = new AuthorizationServer(
      microsoftDialect({
        ...{ clock, users, directories, signingKey, origin: url },
        createUser: (email) => this.addUser({ email }),
      }),
      { clock, violation: (request, message) => journal.violation(request, null, message) },
    );
    this.throttle = new Throttle(clock);
    this.messages = new Messages(fetch, isRetried);
    this.graph = createGraphApi({
      nowMs: () => clock.nowMs(),
      graphUrl: url,
      findUser: (email) => this.users.find(email),
      validate: consentsToNotifications,
      notify: (receiver, body) =>
        this.messages.send({
          url: receiver,
          headers: { 'content-type': 'application/json; charset=utf-8' },
          body: JSON.stringify(body),
        }),
      violation: (message) => this.#noting.getStore()?.(message),
    });
  }

  /** @throws AccountTaken */
  addUser(newUser: NewMicrosoftUser): MicrosoftUser {
    const user = this.users.add(newUser);
    this.graph.addUser(user);
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
  during<T>(note: (message: string) => void, run: () => Promise<T>): Promise<T> {
    return this.#noting.run(note, run);
  }

  snapshot(): MicrosoftSnapshot {
    return {
      users: this.users.all(),
      clients: this.oauth.clients.snapshot(),
      directories: this.directories.snapshot(),
      grants: this.oauth.grants.snapshot(),
      signingKey: this.signingKey.snapshot(),
      graph: this.graph.snapshot(),
    };
  }

  restore({ users, clients, directories, grants, signingKey, graph }: MicrosoftSnapshot): void {
    this.users.restore(users);
    this.oauth.clients.restore(clients);
    this.directories.restore(directories);
    this.oauth.grants.restore(grants, (user) => this.users.find(addressOf(user)));
    this.signingKey.restore(signingKey);
    this.graph.restore(graph);
    this.graph.skipAhead();
  }

  reset(): void {
    this.faults.clear();
    this.users.clear();
    this.oauth.clear();
    this.directories.clear();
    this.throttle.reset();
    this.messages.reset();
    this.graph.reset();
  }
}
