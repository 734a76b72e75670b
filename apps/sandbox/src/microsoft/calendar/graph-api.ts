import type { Memory } from '../../state/memory.js';
import {
  GraphErrorResponse,
  type GraphResponse,
  type GraphHost,
  type GraphRequest,
  type MicrosoftUser,
} from '../contract.js';
import { CalendarAccess } from './calendar-access.js';
import { Calendars } from './calendars.js';
import { DeltaReader } from './delta-reader.js';
import { DeltaTokens } from './delta-tokens.js';
import { readTimes } from './event-content.js';
import { EventReader } from './event-reader.js';
import { EventWriter } from './event-writer.js';
import { folderId, mailboxKeyOf } from './ids.js';
import { Invitations } from './invitations.js';
import { Meetings } from './meetings.js';
import type { CalendarView, EmailAddress } from './model.js';
import { operationsOf, type CalendarOperation } from './operations.js';
import { notOffered } from './errors.js';
import { Schedules } from './mailbox.js';
import { Store } from './store.js';
import { Subscriptions, type ListedSubscription } from './subscriptions.js';

/** State between two resets. Everything outside the memory ends with a reset. */
class Fixture {
  readonly store: Store;
  readonly access: CalendarAccess;
  readonly deltaTokens: DeltaTokens;
  readonly subscriptions: Subscriptions;
  readonly invitations: Invitations;
  readonly meetings: Meetings;
  readonly operations: ReadonlyMap<string, CalendarOperation>;

  constructor(host: GraphHost, memory: Memory) {
    const store = new Store(memory);
    const access = new CalendarAccess(store);
    const invitations = new Invitations(store, host);
    this.store = store;
    this.access = access;
    this.invitations = invitations;
    this.deltaTokens = new DeltaTokens(memory, store);
    this.meetings = new Meetings(memory, store, host, invitations);
    this.subscriptions = new Subscriptions(memory, store, host, access);
    this.operations = operationsOf({
      calendars: new Calendars(store, access),
      reader: new EventReader(store, access),
      writer: new EventWriter(store, host, access, invitations, this.meetings),
      delta: new DeltaReader(store, access, this.deltaTokens),
      schedules: new Schedules(store, host),
      subscriptions: this.subscriptions,
    });
  }

  announce(): void {
    this.subscriptions.announce(this.store.takeChanges());
  }
}

/** Calendars of all mailboxes: the Graph v1.0 operations of the OpenAPI document. In memory, deterministic. */
export class GraphApi {
  private fixture: Fixture;

  constructor(
    private readonly host: GraphHost,
    private readonly memory: Memory,
  ) {
    this.fixture = new Fixture(host, memory);
  }

  /** Creates a mailbox with a default calendar, if the user has one. */
  addUser(user: MicrosoftUser): void {
    const { store } = this.fixture;
    if (user.hasMailbox && store.mailboxes.get(mailboxKeyOf(user)) === undefined) store.addMailbox(user);
  }

  /** @throws GraphErrorResponse */
  async handle(request: GraphRequest): Promise<GraphResponse> {
    const { fixture } = this;
    const operation = fixture.operations.get(request.operationId);
    if (operation === undefined) throw notOffered(request.operationId);
    fixture.meetings.settle();
    try {
      const response = await operation.run({
        ...request,
        url: this.urlOf(operation, request),
        isAnyOwn: operation.isAnyOwn,
      });
      return this.annotated(response, operation, request);
    } finally {
      fixture.announce();
    }
  }

  /** Makes all issued delta and skip tokens return 410. */
  expireDeltaTokens({ email }: { email?: string }): number {
    const user = email === undefined ? undefined : this.host.findUser(email);
    const mailboxKey = user === undefined ? undefined : mailboxKeyOf(user);
    return this.fixture.deltaTokens.expire((holder) => email === undefined || holder === mailboxKey);
  }

  /** Delay of join links of new meetings, in milliseconds; with `fail`, they never come. */
  setMeetings(behaviour: { pendingMs: number; fail: boolean }): void {
    this.fixture.meetings.behaviour = behaviour;
  }

  /** Returns live subscriptions. */
  subscriptions(): ListedSubscription[] {
    return this.fixture.subscriptions.list();
  }

  /** Ends a subscription; with `tell`, sends a lifecycle notification. */
  dropSubscription(id: string, tell: boolean): boolean {
    return this.fixture.subscriptions.drop(id, tell);
  }

  /** Sends a lifecycle notification (`reauthorizationRequired`, `missed`). */
  sendLifecycle(id: string, lifecycleEvent: string): boolean {
    return this.fixture.subscriptions.sendLifecycle(id, lifecycleEvent);
  }

  /** Creates an invitation from outside the sandbox in a user's calendar. @returns the iCalUId */
  invite({
    email,
    calendarId,
    subject,
    startUtc,
    endUtc,
    organizer,
  }: {
    email: string;
    calendarId: string | null;
    subject: string;
    startUtc: string;
    endUtc: string;
    organizer: EmailAddress;
  }): string {
    const { invitations } = this.fixture;
    const times = readTimes(
      { dateTime: startUtc.replace(/Z$/i, ''), timeZone: 'UTC' },
      { dateTime: endUtc.replace(/Z$/i, ''), timeZone: 'UTC' },
      false,
    );
    const uid = invitations.invite(this.viewOf(email, calendarId), { subject, times, organizer });
    this.fixture.announce();
    return uid;
  }

  /** Shares a user's calendar with another user. @returns its id for that user */
  share({
    owner,
    calendarId,
    with: viewer,
    canEdit,
  }: {
    owner: string;
    calendarId: string | null;
    with: string;
    canEdit: boolean;
  }): string {
    const { store } = this.fixture;
    const { calendar } = this.viewOf(owner, calendarId);
    const viewerKey = mailboxKeyOf(this.userOf(viewer));
    const known = store.sharedWith(viewerKey).find(({ calendarKey }) => calendarKey === calendar.key);
    const key = known?.key ?? store.keys.next('shared calendar');
    return folderId(store.putShared({ key, calendarKey: calendar.key, viewerKey, canEdit }).key);
  }

  /** Discards the state outside the memory: page tokens and the behaviour of meetings. */
  reset(): void {
    this.fixture = new Fixture(this.host, this.memory);
  }

  private viewOf(email: string, calendarId: string | null): CalendarView {
    const { access } = this.fixture;
    const user = this.userOf(email);
    return calendarId === null ? access.default(user) : access.byId(user, calendarId);
  }

  private userOf(email: string): MicrosoftUser {
    const user = this.host.findUser(email);
    if (user === undefined) throw new GraphErrorResponse(404, 'ErrorInvalidUser', `The user '${email}' is invalid.`);
    return user;
  }

  private urlOf({ path }: CalendarOperation, { path: named }: GraphRequest): string {
    const filled = path.replace(/\{([\w-]+)\}/g, (_, name: string) => encodeURIComponent(named[name] ?? ''));
    return `${this.host.graphUrl()}/v1.0${filled}`;
  }

  private annotated(response: GraphResponse, { path }: CalendarOperation, { user }: GraphRequest): GraphResponse {
    if (response.body === null) return response;
    const context = `${this.host.graphUrl()}/v1.0/$metadata#${path.replace('/me', `users('${user.oid}')`).replace(/^\//, '')}`;
    return { ...response, body: { '@odata.context': context, ...(response.body as object) } };
  }
}
