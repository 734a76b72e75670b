import type { SandboxClock } from '../clock.js';
import type { Journal } from '../journal.js';
import { AuthorizationServer } from '../oauth/authorization-server.js';
import { ProviderState } from '../sandbox-provider.js';
import { GraphApi } from './calendar/graph-api.js';
import type { MicrosoftUser } from './contract.js';
import { Throttle } from './graph/throttle.js';
import { microsoftDialect, type MicrosoftClient } from './identity/dialect.js';
import { Directories } from './identity/tenants.js';
import { consentsToNotifications } from './receivers.js';
import { MicrosoftUsers, type NewMicrosoftUser } from './users.js';

interface MicrosoftSandboxDeps {
  clock: SandboxClock;
  journal: Journal;
  /** Public origin of Graph and the identity platform. */
  url: () => string;
}

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#process-the-change-notification */
const isRetried = (status: number): boolean => status < 200 || status > 299;

/** State of the simulated Microsoft. */
export class MicrosoftSandbox extends ProviderState<MicrosoftUser, NewMicrosoftUser, MicrosoftClient> {
  readonly users = new MicrosoftUsers(this.memory);
  readonly directories = new Directories(this.memory);
  readonly oauth: AuthorizationServer<MicrosoftUser, MicrosoftClient>;
  readonly throttle: Throttle;
  readonly graph: GraphApi;

  constructor({ clock, journal, url }: MicrosoftSandboxDeps) {
    super(isRetried);
    const { memory, users, directories, signingKey } = this;
    this.oauth = new AuthorizationServer(
      microsoftDialect({
        ...{ clock, users, directories, signingKey, origin: url },
        createUser: (email) => this.addUser({ email }),
      }),
      { clock, memory, violation: (request, message) => journal.violation(request, null, message) },
    );
    this.throttle = new Throttle(clock);
    this.graph = new GraphApi(
      {
        nowMs: () => clock.nowMs(),
        graphUrl: url,
        findUser: (email) => users.find(email),
        validate: consentsToNotifications,
        notify: (receiver, body) =>
          this.messages.send({
            url: receiver,
            headers: { 'content-type': 'application/json; charset=utf-8' },
            body: JSON.stringify(body),
          }),
        violation: this.object,
      },
      memory,
    );
  }

  protected get calendars(): GraphApi {
    return this.graph;
  }

  override reset(): void {
    super.reset();
    this.throttle.reset();
  }
}
