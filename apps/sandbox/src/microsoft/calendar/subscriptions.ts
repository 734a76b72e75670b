import type { Memory } from '../../state/memory.js';
import { type Call, GraphErrorResponse, type GraphResponse, type GraphHost, type MicrosoftUser } from '../contract.js';
import { addressOf } from '../users.js';
import type { CalendarAccess } from './calendar-access.js';
import { MINUTE_MS } from './clock-time.js';
import { etagOf, formOf, itemId, mailboxKeyOf, type IdForm } from './ids.js';
import type { Row } from './odata-options.js';
import { invalidRequest } from './errors.js';
import type { Change, Store } from './store.js';

interface Subscription {
  id: string;
  oid: string;
  tid: string;
  /** The client that created it and alone sees it; null when the user created it, who sees all. */
  clientId: string | null;
  resource: string;
  calendarKey: string;
  changeType: string;
  notificationUrl: string;
  lifecycleUrl: string | null;
  clientState: string;
  expirationMs: number;
  form: IdForm;
}

/** Form for the control API; `email` is null when the user no longer exists. */
export type ListedSubscription = Pick<Subscription, 'id' | 'resource' | 'notificationUrl' | 'expirationMs'> & {
  email: string | null;
};

/** https://learn.microsoft.com/graph/api/resources/subscription#subscription-lifetime */
const MAX_MINUTES = 10_080;
const MIN_MINUTES = 45;
const MAX_PER_MAILBOX = 1_000;
const RESOURCE = /^\/?(me|users\/([^/]+))\/(?:calendar\/|calendars\/([^/]+)\/)?events\/?$/i;
const APPLICATION_ID = '5ca1ab1e-0000-4000-8000-000000000001';

/** Change notifications (https://learn.microsoft.com/graph/change-notifications-overview). */
export class Subscriptions {
  private readonly byId: Map<string, Subscription>;

  constructor(
    memory: Memory,
    private readonly store: Store,
    private readonly host: GraphHost,
    private readonly access: CalendarAccess,
  ) {
    this.byId = memory.collection('subscriptions');
  }

  /** Validates both URLs before it creates the subscription. */
  async create(call: Call): Promise<GraphResponse> {
    const body = call.body as {
      resource: string;
      changeType: string;
      notificationUrl: string;
      lifecycleNotificationUrl?: string;
      expirationDateTime: string;
      clientState?: string;
      includeResourceData?: boolean;
    };
    if (body.includeResourceData === true) throw invalidRequest('The sandbox encrypts no resource data.');
    const calendarKey = this.calendarKeyOf(call.user, body.resource);
    const expirationMs = this.expirationOf(body.expirationDateTime);
    this.checkRoom(call, calendarKey, body.changeType);
    for (const url of new Set([body.notificationUrl, body.lifecycleNotificationUrl ?? body.notificationUrl])) {
      if (await this.host.validate(url)) continue;
      throw new GraphErrorResponse(
        400,
        'ValidationError',
        'Subscription validation request failed. Notification endpoint must respond with 200 OK to validation request.',
      );
    }
    this.checkRoom(call, calendarKey, body.changeType);
    const subscription: Subscription = {
      id: this.store.keys.uuid('subscription'),
      oid: call.user.oid,
      tid: call.user.tid,
      clientId: call.clientId,
      resource: body.resource,
      calendarKey,
      changeType: body.changeType,
      notificationUrl: body.notificationUrl,
      lifecycleUrl: body.lifecycleNotificationUrl ?? null,
      clientState: body.clientState ?? '',
      expirationMs,
      form: formOf(call.prefer),
    };
    this.byId.set(subscription.id, subscription);
    return { status: 201, body: subscriptionJson(subscription) };
  }

  read(call: Call): GraphResponse {
    const seen = this.live().filter((subscription) => isSeenBy(subscription, call));
    return { status: 200, body: { value: seen.map(subscriptionJson) } };
  }

  async renew(call: Call): Promise<GraphResponse> {
    const subscription = this.named(call);
    const { expirationDateTime, notificationUrl = subscription.notificationUrl } = call.body as {
      expirationDateTime?: string;
      notificationUrl?: string;
    };
    const expirationMs =
      expirationDateTime === undefined ? subscription.expirationMs : this.expirationOf(expirationDateTime);
    if (notificationUrl !== subscription.notificationUrl && !(await this.host.validate(notificationUrl))) {
      throw new GraphErrorResponse(400, 'ValidationError', 'Subscription validation request failed.');
    }
    const renewed = { ...this.named(call), expirationMs, notificationUrl };
    this.byId.set(renewed.id, renewed);
    return { status: 200, body: subscriptionJson(renewed) };
  }

  delete(call: Call): GraphResponse {
    this.byId.delete(this.named(call).id);
    return { status: 204, body: null };
  }

  /** Notifies subscriptions; one POST per URL. */
  announce(changes: readonly Change[]): void {
    const bodies = new Map<string, Row[]>();
    for (const change of changes) {
      for (const subscription of this.live()) {
        const { calendarKey, changeType, notificationUrl } = subscription;
        if (calendarKey !== change.calendarKey || !changeType.split(',').includes(change.changeType)) continue;
        const notification = bodies.get(notificationUrl) ?? [];
        bodies.set(notificationUrl, [...notification, notificationJson(subscription, change)]);
      }
    }
    for (const [url, value] of bodies) this.host.notify(url, { value });
  }

  list(): ListedSubscription[] {
    return this.live().map(({ id, resource, notificationUrl, expirationMs, ...holder }) => {
      const user = this.store.mailboxes.get(mailboxKeyOf(holder));
      return { id, resource, notificationUrl, email: user === undefined ? null : addressOf(user), expirationMs };
    });
  }

  drop(id: string, isNotified: boolean): boolean {
    const isKnown = isNotified ? this.sendLifecycle(id, 'subscriptionRemoved') : this.find(id) !== undefined;
    this.byId.delete(id);
    return isKnown;
  }

  sendLifecycle(id: string, lifecycleEvent: string): boolean {
    const subscription = this.find(id);
    if (subscription === undefined) return false;
    if (subscription.lifecycleUrl !== null) {
      const { clientState, tid } = subscription;
      const subscriptionExpirationDateTime = expirationText(subscription);
      const notification = {
        subscriptionId: id,
        subscriptionExpirationDateTime,
        tenantId: tid,
        clientState,
        lifecycleEvent,
      };
      this.host.notify(subscription.lifecycleUrl, { value: [notification] });
    }
    return true;
  }

  /** Only the user's own calendars accept subscriptions. @throws GraphErrorResponse 400, 403, 404 */
  private calendarKeyOf(user: MicrosoftUser, resource: string): string {
    const match = RESOURCE.exec(resource);
    if (match === null) throw invalidRequest(`Resource '${resource.slice(0, 100)}' cannot be watched.`);
    const [, , who, calendarId] = match;
    const isOwn = who === undefined || [user.oid, user.userPrincipalName.toLowerCase()].includes(who.toLowerCase());
    if (!isOwn) throw new GraphErrorResponse(403, 'ErrorAccessDenied', 'Access is denied to the requested resource.');
    const view = calendarId === undefined ? this.access.default(user) : this.access.byId(user, decoded(calendarId));
    if (view.isShared) throw new GraphErrorResponse(403, 'ErrorAccessDenied', 'Shared calendars cannot be watched.');
    return view.calendar.key;
  }

  private expirationOf(text: string): number {
    const asked = Date.parse(text);
    const nowMs = this.host.nowMs();
    if (Number.isNaN(asked) || asked <= nowMs) throw invalidRequest('Subscription expiration must be in the future.');
    if (asked > nowMs + MAX_MINUTES * MINUTE_MS) {
      throw invalidRequest(
        `Subscription expiration can only be ${MAX_MINUTES} minutes in the future for resource 'Event'.`,
      );
    }
    return Math.max(asked, nowMs + MIN_MINUTES * MINUTE_MS);
  }

  private checkRoom({ user, clientId }: Call, calendarKey: string, changeType: string): void {
    const inMailbox = this.live().filter((subscription) => isOf(subscription, user));
    if (inMailbox.length >= MAX_PER_MAILBOX) {
      throw new GraphErrorResponse(403, 'ExtensionError', 'The mailbox has its maximum of active subscriptions.');
    }
    const isTwin = inMailbox.some(
      (one) =>
        one.clientId === clientId && one.calendarKey === calendarKey && sorted(one.changeType) === sorted(changeType),
    );
    if (isTwin) throw new GraphErrorResponse(409, 'Conflict', 'A subscription to this resource exists already.');
  }

  /** @throws GraphErrorResponse 404 `ResourceNotFound` */
  private named(call: Call): Subscription {
    const subscription = this.find(call.path['subscription-id']!);
    if (subscription !== undefined && isSeenBy(subscription, call)) return subscription;
    throw new GraphErrorResponse(404, 'ResourceNotFound', 'The object was not found.');
  }

  private find(id: string): Subscription | undefined {
    return this.live().find((subscription) => subscription.id === id);
  }

  private live(): Subscription[] {
    const nowMs = this.host.nowMs();
    return [...this.byId.values()].filter(({ expirationMs }) => expirationMs > nowMs);
  }
}

function isOf(subscription: Subscription, user: MicrosoftUser): boolean {
  return mailboxKeyOf(subscription) === mailboxKeyOf(user);
}

function isSeenBy(subscription: Subscription, { user, clientId }: Call): boolean {
  return isOf(subscription, user) && (clientId === null || clientId === subscription.clientId);
}

/** https://learn.microsoft.com/graph/api/resources/changenotification */
function notificationJson(subscription: Subscription, { changeType, key, revision }: Change): Row {
  const { id: subscriptionId, oid, tid, clientState, form } = subscription;
  const id = itemId({ key, date: null }, form);
  const resource = `Users/${oid}/Events/${id}`;
  return {
    subscriptionId,
    subscriptionExpirationDateTime: expirationText(subscription),
    changeType,
    resource,
    resourceData: {
      '@odata.type': '#Microsoft.Graph.Event',
      '@odata.id': resource,
      '@odata.etag': etagOf(revision),
      id,
    },
    clientState,
    tenantId: tid,
  };
}

function subscriptionJson(subscription: Subscription): Row {
  const { id, oid, resource, changeType, clientState, notificationUrl, lifecycleUrl } = subscription;
  return {
    id,
    resource,
    applicationId: APPLICATION_ID,
    changeType,
    clientState,
    notificationUrl,
    lifecycleNotificationUrl: lifecycleUrl,
    expirationDateTime: expirationText(subscription),
    creatorId: oid,
    includeResourceData: null,
    latestSupportedTlsVersion: 'v1_2',
    encryptionCertificate: null,
    encryptionCertificateId: null,
    notificationUrlAppId: null,
    notificationQueryOptions: null,
  };
}

function expirationText({ expirationMs }: Subscription): string {
  return new Date(expirationMs).toISOString();
}

function sorted(changeType: string): string {
  return changeType.split(',').sort().join(',');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
