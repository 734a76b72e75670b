import { AsyncLocalStorage } from 'node:async_hooks';
import type { SandboxClock } from '../clock.js';
import { FaultList } from '../faults/fault-list.js';
import type { Journal } from '../journal.js';
import { Messages } from '../notifications/messages.js';
import { AuthorizationServer } from '../oauth/authorization-server.js';
import { SigningKey } from '../oauth/signing-key.js';
import { Memory } from '../state/memory.js';
import { createGraphApi } from './calendar/index.js';
import type { GraphApi, MicrosoftUser } from './contract.js';
import { Throttle } from './graph/throttle.js';
import { microsoftDialect, type MicrosoftClient } from './identity/dialect.js';
import { Directories } from './identity/tenants.js';
import { consentsToNotifications } from './receivers.js';
import { MicrosoftUsers, type NewMicrosoftUser } from './users.js';

export interface MicrosoftSandboxDeps {
  clock: SandboxClock;
  journal: Journal;
  /** Origin of Graph and the identity platform as clients know it. */
  url: () => string;
}

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#process-the-change-notification */
const isRetried = (status: number): boolean => status < 200 || status > 299;

/** Everything that the pretended Microsoft knows. */
export class MicrosoftSandbox {
  readonly faults = new FaultList();
  /** What outlives a restart: not faults, nor messages on their way. */
  readonly memory = new Memory();
  readonly users = new MicrosoftUsers(this.memory);
  readonly directories = new Directories(this.memory);
  readonly signingKey = new SigningKey();
  readonly oauth: AuthorizationServer<MicrosoftUser, MicrosoftClient>;
  readonly throttle: Throttle;
  readonly messages: Messages;
  readonly graph: GraphApi;
  /** Where objections of the calendars go, request by request. */
  readonly #noting = new AsyncLocalStorage<(message: string) => void>();

  constructor({ clock, journal, url }: MicrosoftSandboxDeps) {
    const { memory, users, directories, signingKey } = this;
    this.oauth = new AuthorizationServer(
      microsoftDialect({
        ...{ clock, users, directories, signingKey, origin: url },
        createUser: (email) => this.addUser({ email }),
      }),
      { clock, memory, violation: (request, message) => journal.violation(request, null, message) },
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
    memory.part('signingKey', signingKey);
    memory.part('graph', {
      snapshot: () => this.graph.snapshot(),
      restore: (snapshot) => {
        this.graph.restore(snapshot);
        this.graph.skipAhead();
      },
      clear: () => this.graph.reset(),
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

  reset(): void {
    this.memory.clear();
    this.faults.clear();
    this.throttle.reset();
    this.messages.reset();
  }
}
