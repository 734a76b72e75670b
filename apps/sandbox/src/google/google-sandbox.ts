import type { SandboxClock } from '../clock.js';
import type { Journal } from '../journal.js';
import { AuthorizationServer } from '../oauth/authorization-server.js';
import { ProviderState } from '../sandbox-provider.js';
import { CalendarApi } from './calendar/calendar-api.js';
import type { GoogleUser } from './contract.js';
import { googleDialect, type GoogleClient } from './oauth/dialect.js';
import { UserDirectory, type NewUser } from './users.js';

/** https://developers.google.com/workspace/calendar/api/guides/push#responding-to-notifications */
const isRetried = (status: number): boolean => [500, 502, 503, 504].includes(status);

/** State of the simulated Google. */
export class GoogleSandbox extends ProviderState<GoogleUser, NewUser, GoogleClient> {
  readonly users = new UserDirectory(this.memory);
  readonly oauth: AuthorizationServer<GoogleUser, GoogleClient>;
  readonly calendar: CalendarApi;

  constructor({ clock, journal }: { clock: SandboxClock; journal: Journal }) {
    super(isRetried);
    const { memory, users, signingKey } = this;
    this.oauth = new AuthorizationServer(
      googleDialect({ clock, users, signingKey, createUser: (email) => this.addUser({ email }) }),
      { clock, memory, violation: (request, message) => journal.violation(request, null, message) },
    );
    this.calendar = new CalendarApi(
      {
        nowMs: () => clock.nowMs(),
        findUser: (email) => users.find(email),
        notify: ({ address, headers }) => this.messages.send({ url: address, headers, body: '' }),
        violation: this.object,
      },
      memory,
    );
  }

  protected get calendars(): CalendarApi {
    return this.calendar;
  }
}
