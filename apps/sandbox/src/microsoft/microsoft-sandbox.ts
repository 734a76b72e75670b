import { AsyncLocalStorage } from 'node:async_hooks';
import type { JWK } from 'jose';
import type { SandboxClock } from '../clock.js';
import { FaultList } from '../faults/fault-list.js';
import { Messages } from '../notifications/messages.js';
import { AuthorizationCodes } from '../oauth/authorization-codes.js';
import { BrowserSessions } from '../oauth/browser-sessions.js';
import { Grants, type GrantsSnapshot } from '../oauth/grants.js';
import { SigningKey } from '../oauth/signing-key.js';
import { createGraphApi } from './calendar/index.js';
import type { GraphApi, MicrosoftUser } from './contract.js';
import { Throttle } from './graph/throttle.js';
import type { Authorization } from './identity/authorization.js';
import { MicrosoftClients, type MicrosoftClient } from './identity/clients.js';
import { Directories, type DirectoriesSnapshot } from './identity/tenants.js';
import { microsoftTokenRules } from './identity/token-rules.js';
import { consentsToNotifications } from './receivers.js';
import { addressOf, MicrosoftUsers, type NewMicrosoftUser } from './users.js';

export interface MicrosoftSandboxDeps {
  clock: SandboxClock;
  /** Origin of Graph and the identity platform as clients know it. */
  url: () => string;
}

/** What outlives a restart: not codes, browsers' sessions, faults and messages on their way. */
export interface MicrosoftSnapshot {
  users: MicrosoftUser[];
  clients: MicrosoftClient[];
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
  readonly clients = new MicrosoftClients();
  readonly directories = new Directories();
  readonly sessions = new BrowserSessions<MicrosoftUser>('microsoft_session');
  readonly signingKey = new SigningKey();
  readonly codes: AuthorizationCodes<Authorization>;
  readonly grants: Grants<MicrosoftUser>;
  readonly throttle: Throttle;
  readonly messages: Messages;
  readonly graph: GraphApi;
  /** Where objections of the calendars go, request by request. */
  readonly #noting = new AsyncLocalStorage<(message: string) => void>();

  constructor({ clock, url }: MicrosoftSandboxDeps) {
    this.codes = new AuthorizationCodes(clock, '1.AXk');
    this.grants = new Grants(clock, microsoftTokenRules(this.clients));
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
    this.grants.revoke(user);
    this.sessions.signOut(user);
    return true;
  }

  /** Runs the calendars' own code; what they object to meanwhile goes to `note`. */
  during<T>(note: (message: string) => void, run: () => Promise<T>): Promise<T> {
    return this.#noting.run(note, run);
  }

  snapshot(): MicrosoftSnapshot {
    return {
      users: this.users.all(),
      clients: this.clients.snapshot(),
      directories: this.directories.snapshot(),
      grants: this.grants.snapshot(),
      signingKey: this.signingKey.snapshot(),
      graph: this.graph.snapshot(),
    };
  }

  restore({ users, clients, directories, grants, signingKey, graph }: MicrosoftSnapshot): void {
    this.users.restore(users);
    this.clients.restore(clients);
    this.directories.restore(directories);
    this.grants.restore(grants, (user) => this.users.find(addressOf(user)));
    this.signingKey.restore(signingKey);
    this.graph.restore(graph);
    this.graph.skipAhead();
  }

  reset(): void {
    this.faults.clear();
    this.users.clear();
    this.clients.clear();
    this.directories.clear();
    this.sessions.clear();
    this.codes.clear();
    this.grants.clear();
    this.throttle.reset();
    this.messages.reset();
    this.graph.reset();
  }
}
