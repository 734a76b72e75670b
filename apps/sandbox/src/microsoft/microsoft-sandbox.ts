import { AsyncLocalStorage } from 'node:async_hooks';
import type { SandboxClock } from '../clock.js';
import { FaultList } from '../faults/fault-list.js';
import type { Journal } from '../journal.js';
import { Messages } from '../notifications/messages.js';
import { AuthorizationServer } from '../oauth/authorization-server.js';
import { SIGNING_KEY, SigningKey } from '../oauth/signing-key.js';
import { Memory } from '../state/memory.js';
import { GraphApi } from './calendar/graph-api.js';
import type { MicrosoftUser } from './contract.js';
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
  /** What outlives a restart: not codes, browsers' sessions, faults and messages on their way. */
  readonly memory = new Memory();
  readonly faults = new FaultList();
  readonly users = new MicrosoftUsers(this.memory);
  readonly directories = new Directories(this.memory);
  readonly signingKey = new SigningKey(this.memory);
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
    this.graph = new GraphApi(
      {
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
      },
      memory,
    );
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
    this.faults.clear();
    this.memory.clear(SIGNING_KEY);
    this.oauth.clearSignIns();
    this.throttle.reset();
    this.messages.reset();
    this.graph.reset();
  }
}
