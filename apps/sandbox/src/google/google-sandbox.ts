import type { JWK } from 'jose';
import type { SandboxClock } from '../clock.js';
import { FaultList } from '../faults/fault-list.js';
import type { HttpRequest } from '../http/message.js';
import type { Journal } from '../journal.js';
import { Messages } from '../notifications/messages.js';
import { AuthorizationCodes } from '../oauth/authorization-codes.js';
import { BrowserSessions } from '../oauth/browser-sessions.js';
import { Grants, type GrantsSnapshot } from '../oauth/grants.js';
import { SigningKey } from '../oauth/signing-key.js';
import { createCalendarApi } from './calendar/index.js';
import type { CalendarApi, GoogleUser } from './contract.js';
import type { Authorization } from './oauth/authorization.js';
import { ClientRegistry, type ClientsSnapshot } from './oauth/clients.js';
import { IdTokens } from './oauth/id-tokens.js';
import { googleTokenRules } from './oauth/token-rules.js';
import { UserDirectory, type NewUser } from './users.js';

export interface GoogleSandboxDeps {
  clock: SandboxClock;
  journal: Journal;
}

/** What outlives a restart: not codes, browsers' sessions, faults and messages on their way. */
export interface GoogleSnapshot {
  users: GoogleUser[];
  clients: ClientsSnapshot;
  grants: GrantsSnapshot<GoogleUser>;
  signingKey: JWK | null;
  calendar: unknown;
}

/** https://developers.google.com/workspace/calendar/api/guides/push#responding-to-notifications */
const isRetried = (status: number): boolean => [500, 502, 503, 504].includes(status);

/** Everything that the pretended Google knows. */
export class GoogleSandbox {
  readonly faults = new FaultList();
  readonly users = new UserDirectory();
  readonly clients = new ClientRegistry();
  readonly sessions = new BrowserSessions<GoogleUser>('google_session');
  readonly codes: AuthorizationCodes<Authorization>;
  readonly grants: Grants<GoogleUser>;
  readonly signingKey = new SigningKey();
  readonly idTokens: IdTokens;
  readonly messages: Messages;
  readonly calendar: CalendarApi;
  readonly #journal: Journal;
  /** The request whose handling is under way: the calendars work without a pause. */
  #noting: (message: string) => void = () => undefined;

  constructor({ clock, journal }: GoogleSandboxDeps) {
    this.#journal = journal;
    this.idTokens = new IdTokens(clock, this.signingKey);
    this.codes = new AuthorizationCodes(clock, '4/0A');
    this.grants = new Grants(clock, googleTokenRules(this.clients));
    this.messages = new Messages(fetch, isRetried);
    this.calendar = createCalendarApi({
      nowMs: () => clock.nowMs(),
      findUser: (email) => this.users.find(email),
      notify: ({ address, headers }) => this.messages.send({ url: address, headers, body: '' }),
      violation: (message) => this.#noting(message),
    });
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
    this.grants.revoke(user);
    this.sessions.signOut(user);
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

  snapshot(): GoogleSnapshot {
    return {
      users: this.users.all(),
      clients: this.clients.snapshot(),
      grants: this.grants.snapshot(),
      signingKey: this.signingKey.snapshot(),
      calendar: this.calendar.snapshot(),
    };
  }

  restore({ users, clients, grants, signingKey, calendar }: GoogleSnapshot): void {
    this.users.restore(users);
    this.clients.restore(clients);
    this.grants.restore(grants, ({ email }) => this.users.find(email));
    this.signingKey.restore(signingKey);
    this.calendar.restore(calendar);
    this.calendar.skipAhead();
  }

  reset(): void {
    this.faults.clear();
    this.users.clear();
    this.clients.clear();
    this.sessions.clear();
    this.codes.clear();
    this.grants.clear();
    this.messages.reset();
    this.calendar.reset();
  }
}
