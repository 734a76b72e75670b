import type { SandboxClock } from '../clock.js';
import { FaultList } from '../faults/fault-list.js';
import type { HttpRequest } from '../http/message.js';
import type { Journal } from '../journal.js';
import { Messages } from '../notifications/messages.js';
import { AuthorizationServer } from '../oauth/authorization-server.js';
import { SIGNING_KEY, SigningKey } from '../oauth/signing-key.js';
import { Memory } from '../state/memory.js';
import { CalendarApi } from './calendar/calendar-api.js';
import type { GoogleUser } from './contract.js';
import { googleDialect, type GoogleClient } from './oauth/dialect.js';
import { UserDirectory, type NewUser } from './users.js';

export interface GoogleSandboxDeps {
  clock: SandboxClock;
  journal: Journal;
}

/** https://developers.google.com/workspace/calendar/api/guides/push#responding-to-notifications */
const isRetried = (status: number): boolean => [500, 502, 503, 504].includes(status);

/** Everything that the pretended Google knows. */
export class GoogleSandbox {
  /** What outlives a restart: not codes, browsers' sessions, faults and messages on their way. */
  readonly memory = new Memory();
  readonly faults = new FaultList();
  readonly users = new UserDirectory(this.memory);
  readonly signingKey = new SigningKey(this.memory);
  readonly oauth: AuthorizationServer<GoogleUser, GoogleClient>;
  readonly messages: Messages;
  readonly calendar: CalendarApi;
  readonly #journal: Journal;
  /** The request whose handling is under way: the calendars work without a pause. */
  #noting: (message: string) => void = () => undefined;

  constructor({ clock, journal }: GoogleSandboxDeps) {
    this.#journal = journal;
    const { memory, users, signingKey } = this;
    this.oauth = new AuthorizationServer(
      googleDialect({ clock, users, signingKey, createUser: (email) => this.addUser({ email }) }),
      { clock, memory, violation: (request, message) => this.violation(request, null, message) },
    );
    this.messages = new Messages(fetch, isRetried);
    this.calendar = new CalendarApi(
      {
        nowMs: () => clock.nowMs(),
        findUser: (email) => this.users.find(email),
        notify: ({ address, headers }) => this.messages.send({ url: address, headers, body: '' }),
        violation: (message) => this.#noting(message),
      },
      memory,
    );
  }

  /** @throws AccountTaken */
  addUser(newUser: NewUser): GoogleUser {
    const user = this.users.add(newUser);
    this.calendar.addUser(user);
    return user;
  }

  /** The account goes, and with it every consent and every session. */
  removeUser(email: string): boolean {
    const user = this.users.remove(email);
    if (user === undefined) return false;
    this.oauth.removeUser(user);
    return true;
  }

  violation(request: HttpRequest, methodId: string | null, message: string): void {
    this.#journal.violation(request, methodId, message);
  }

  /** Runs the calendars' own code; what they object to meanwhile goes to `note`. */
  during<T>(note: (message: string) => void, run: () => T): T {
    this.#noting = note;
    try {
      return run();
    } finally {
      this.#noting = () => undefined;
    }
  }

  reset(): void {
    this.faults.clear();
    this.memory.clear(SIGNING_KEY);
    this.oauth.clearSignIns();
    this.messages.reset();
    this.calendar.reset();
  }
}
