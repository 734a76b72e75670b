import {
  GraphRefusal,
  type GraphAnswer,
  type GraphApi,
  type GraphHost,
  type GraphRequest,
  type MicrosoftUser,
} from '../contract.js';
import { CalendarAccess } from './calendar-access.js';
import { Calendars } from './calendars.js';
import { DeltaReader } from './delta-reader.js';
import { DeltaTokens, type DeltaTokensSnapshot } from './delta-tokens.js';
import { readTimes } from './event-content.js';
import { EventReader } from './event-reader.js';
import { EventWriter } from './event-writer.js';
import { folderId, mailboxKeyOf } from './ids.js';
import { Invitations } from './invitations.js';
import { Meetings } from './meetings.js';
import type { CalendarView } from './model.js';
import { operationsOf, type Operation } from './operations.js';
import { notOffered } from './refusals.js';
import { Schedules } from './schedules.js';
import { Store, type StoreSnapshot } from './store.js';
import { Subscriptions, type SubscriptionsSnapshot } from './subscriptions.js';

interface WorldSnapshot {
  store: StoreSnapshot;
  deltaTokens: DeltaTokensSnapshot;
  subscriptions: SubscriptionsSnapshot;
}

/** One life of the sandbox's mailboxes, from reset to reset. */
class World {
  readonly store = new Store();
  readonly access = new CalendarAccess(this.store);
  readonly deltaTokens = new DeltaTokens(this.store);
  readonly subscriptions: Subscriptions;
  readonly invitations: Invitations;
  readonly meetings: Meetings;
  readonly operations: ReadonlyMap<string, Operation>;

  constructor(host: GraphHost) {
    const { store, access } = this;
    const invitations = new Invitations(store, host);
    this.invitations = invitations;
    this.meetings = new Meetings(store, host, invitations);
    this.subscriptions = new Subscriptions(store, host, access);
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

/** Everything behind `/v1.0`: see `GraphApi`. */
export class SandboxGraphApi implements GraphApi {
  private world: World;

  constructor(private readonly host: GraphHost) {
    this.world = new World(host);
  }

  addUser(user: MicrosoftUser): void {
    const { store } = this.world;
    if (user.hasMailbox && store.mailbox(mailboxKeyOf(user)) === undefined) store.addMailbox(user);
  }

  async handle(request: GraphRequest): Promise<GraphAnswer> {
    const { world } = this;
    const operation = world.operations.get(request.operationId);
    if (operation === undefined) throw notOffered(request.operationId);
    world.meetings.settle();
    try {
      const answer = await operation.run({
        ...request,
        url: this.urlOf(operation, request),
        isAnyOwn: operation.isAnyOwn,
      });
      return this.annotated(answer, operation, request);
    } finally {
      world.announce();
    }
  }

  expireDeltaTokens({ email }: { email?: string }): number {
    const user = email === undefined ? undefined : this.host.findUser(email);
    const mailboxKey = user === undefined ? undefined : mailboxKeyOf(user);
    return this.world.deltaTokens.expire((holder) => email === undefined || holder === mailboxKey);
  }

  setMeetings(behaviour: { pendingMs: number; fail: boolean }): void {
    this.world.meetings.behaviour = behaviour;
  }

  subscriptions(): ReturnType<GraphApi['subscriptions']> {
    return this.world.subscriptions.list();
  }

  dropSubscription(id: string, tell: boolean): boolean {
    return this.world.subscriptions.drop(id, tell);
  }

  sendLifecycle(id: string, lifecycleEvent: string): boolean {
    return this.world.subscriptions.sendLifecycle(id, lifecycleEvent);
  }

  invite({ email, calendarId, subject, startUtc, endUtc, organizer }: Parameters<GraphApi['invite']>[0]): string {
    const { invitations } = this.world;
    const times = readTimes(
      { dateTime: startUtc.replace(/Z$/i, ''), timeZone: 'UTC' },
      { dateTime: endUtc.replace(/Z$/i, ''), timeZone: 'UTC' },
      false,
    );
    const uid = invitations.invite(this.viewOf(email, calendarId), { subject, times, organizer });
    this.world.announce();
    return uid;
  }

  share({ owner, calendarId, with: viewer, canEdit }: Parameters<GraphApi['share']>[0]): string {
    const { store } = this.world;
    const { calendar } = this.viewOf(owner, calendarId);
    const viewerKey = mailboxKeyOf(this.userOf(viewer));
    const known = store.sharedWith(viewerKey).find(({ calendarKey }) => calendarKey === calendar.key);
    const key = known?.key ?? store.keys.next('shared calendar');
    return folderId(store.putShared({ key, calendarKey: calendar.key, viewerKey, canEdit }).key);
  }

  snapshot(): unknown {
    const { store, deltaTokens, subscriptions } = this.world;
    const snapshot: WorldSnapshot = {
      store: store.snapshot(),
      deltaTokens: deltaTokens.snapshot(),
      subscriptions: subscriptions.snapshot(),
    };
    return snapshot;
  }

  restore(snapshot: unknown): void {
    this.reset();
    const { store, deltaTokens, subscriptions } = structuredClone(snapshot) as WorldSnapshot;
    this.world.store.restore(store);
    this.world.deltaTokens.restore(deltaTokens);
    this.world.subscriptions.restore(subscriptions);
    this.world.meetings.restore();
  }

  skipAhead(): void {
    this.world.store.skipAhead();
  }

  reset(): void {
    this.world = new World(this.host);
  }

  private viewOf(email: string, calendarId: string | null): CalendarView {
    const { access } = this.world;
    const user = this.userOf(email);
    return calendarId === null ? access.default(user) : access.byId(user, calendarId);
  }

  private userOf(email: string): MicrosoftUser {
    const user = this.host.findUser(email);
    if (user === undefined) throw new GraphRefusal(404, 'ErrorInvalidUser', `The user '${email}' is invalid.`);
    return user;
  }

  private urlOf({ path }: Operation, { path: named }: GraphRequest): string {
    const filled = path.replace(/\{([\w-]+)\}/g, (_, name: string) => encodeURIComponent(named[name] ?? ''));
    return `${this.host.graphUrl()}/v1.0${filled}`;
  }

  private annotated(answer: GraphAnswer, { path }: Operation, { user }: GraphRequest): GraphAnswer {
    if (answer.body === null) return answer;
    const context = `${this.host.graphUrl()}/v1.0/$metadata#${path.replace('/me', `users('${user.oid}')`).replace(/^\//, '')}`;
    return { ...answer, body: { '@odata.context': context, ...(answer.body as object) } };
  }
}
