import type { ChannelFacts, ChannelNotification, ChannelRequest } from '#domain/channels';
import { DomainError, invalid } from '#domain/system';
import type { ChannelAdapter } from '#providers/kit/adapter';
import { assertReachable, believableEnd, isChannelId, isChannelToken, orNull } from '#providers/kit/calls';
import { recordOf, textOf, listOf } from '#providers/kit/events';
import { isPrimary, type OutlookCalendar } from './calendar-entry.js';
import { isShared } from './calendars.js';
import type { GraphAccountClient } from './account-client.js';
import { GraphApiError, isUnreached, malformedResponse, channelOpenError, UNREACHED } from './errors.js';
import { readGraphInstant } from './events/graph-times.js';

const SUBSCRIPTIONS = '/subscriptions';

/**
 * Minutes. Graph allows 10,080 by https://learn.microsoft.com/graph/api/resources/subscription#subscription-lifetime,
 * and allowed 4,230 before.
 */
const LIFE = 10_000;
const SHORT_LIFE = 4_200;

type Known = Pick<ChannelFacts, 'subscriptionId'>;

/** `life` in minutes. */
interface Wish {
  resource: string;
  life: number;
}

/** https://learn.microsoft.com/graph/change-notifications-overview */
export class GraphChannels implements ChannelAdapter<GraphAccountClient> {
  readonly usesOurIds = false;

  constructor(
    private readonly nowMs: () => number,
    private readonly root: string,
  ) {}

  async open(connection: GraphAccountClient, calendarId: string, request: ChannelRequest): Promise<ChannelFacts> {
    const calendar = await connection.calendar(calendarId);
    if (await isShared(connection, calendar)) {
      throw new DomainError('NotSupportedByProvider', 'Microsoft does not push for calendars of others.');
    }
    assertReachable(this.root, request.notificationUrl, UNREACHED);
    const wishes = wishesFor(calendar);
    const subscribe = () => firstAccepted(wishes, (wish) => this.subscribe(connection, wish, request));
    try {
      return await subscribe().catch(async (error: unknown) => {
        if (!(error instanceof GraphApiError) || error.status !== 409) throw error;
        await this.removeTwins(connection, wishes, request);
        return subscribe();
      });
    } catch (error) {
      throw error instanceof GraphApiError ? channelOpenError(error) : error;
    }
  }

  /** Also reacts to `reauthorizationRequired`. */
  async renew(connection: GraphAccountClient, { subscriptionId }: Known): Promise<ChannelFacts | null> {
    const path = pathOf(subscriptionId);
    const renewed = async (life: number) => {
      const body = { expirationDateTime: this.endOf(life) };
      return this.read(await connection.call('idempotent', { method: 'PATCH', path, body }));
    };
    const subscription = await orNull(firstAccepted([LIFE, SHORT_LIFE], renewed));
    if (subscription === null) return null;
    if (subscription.id !== subscriptionId) throw malformedResponse();
    return factsOf(subscription);
  }

  async stop(connection: GraphAccountClient, { subscriptionId }: Known): Promise<void> {
    await orNull(connection.call('idempotent', { method: 'DELETE', path: pathOf(subscriptionId) }));
  }

  private async subscribe(connection: GraphAccountClient, { resource, life }: Wish, request: ChannelRequest) {
    const body = {
      changeType: 'created,updated,deleted',
      resource,
      notificationUrl: request.notificationUrl,
      lifecycleNotificationUrl: request.lifecycleUrl,
      clientState: clientStateOf(request),
      expirationDateTime: this.endOf(life),
    };
    const subscription = this.read(await connection.call('once', { method: 'POST', path: SUBSCRIPTIONS, body }));
    if (subscription.expiresAt === null) await this.stop(connection, { subscriptionId: subscription.id });
    return factsOf(subscription);
  }

  /** Deletes subscriptions whose answer was lost: their client state is unknown. */
  private async removeTwins(
    connection: GraphAccountClient,
    wishes: readonly Wish[],
    { notificationUrl }: ChannelRequest,
  ) {
    const resources = wishes.map(({ resource }) => resource);
    const rows = await connection.rows({ method: 'GET', path: SUBSCRIPTIONS });
    for (const { id, ...row } of rows.map((each) => this.read(each))) {
      const isOurs = row.notificationUrl === notificationUrl && resources.includes(row.resource);
      if (isOurs) await this.stop(connection, { subscriptionId: id });
    }
  }

  private read(value: unknown): Subscription {
    return readSubscription(value, this.nowMs());
  }

  private endOf(life: number): string {
    return new Date(this.nowMs() + life * 60_000).toISOString();
  }
}

/**
 * Subscriptions to try, in order. Graph documents only the default calendar, under another name, but accepts any:
 * https://learn.microsoft.com/graph/change-notifications-overview#supported-resources
 */
function wishesFor(calendar: OutlookCalendar): [Wish, ...Wish[]] {
  // Graph expects the padding of ids unescaped here.
  const resource = `me/calendars/${encodeURIComponent(calendar.id).replaceAll('%3D', '=')}/events`;
  const usual = { resource, life: LIFE };
  if (!isPrimary(calendar)) return [usual, { resource, life: SHORT_LIFE }];
  return [usual, { resource: 'me/events', life: LIFE }, { resource: 'me/events', life: SHORT_LIFE }];
}

/** Graph explains rejections only in text, so the next wish is tried. */
async function firstAccepted<Wished, T>(
  [wish, ...others]: [Wished, ...Wished[]],
  ask: (wish: Wished) => Promise<T>,
): Promise<T> {
  try {
    return await ask(wish);
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined || !isRejectedAsRequested(error)) throw error;
    return firstAccepted([next, ...rest], ask);
  }
}

function isRejectedAsRequested(error: unknown): boolean {
  return error instanceof GraphApiError && error.status === 400 && !error.isGone && !isUnreached(error);
}

/** Graph has no id of the watched resource. @throws DomainError ProviderUnavailable without a plausible end */
function factsOf({ id, expiresAt }: Subscription): ChannelFacts {
  if (expiresAt === null) throw malformedResponse();
  return { subscriptionId: id, resourceId: id, expiresAt };
}

function pathOf(subscriptionId: string): string {
  return `${SUBSCRIPTIONS}/${encodeURIComponent(subscriptionId)}`;
}

const SEPARATOR = '.';

type ChannelToken = Pick<ChannelRequest, 'channelId' | 'token'>;

/** Returned with every notification. Uses 80 of Graph's 128 characters and names our channel for a fast lookup. */
export function clientStateOf({ channelId, token }: ChannelToken): string {
  return channelId + SEPARATOR + token;
}

function readClientState(clientState: unknown): ChannelToken | null {
  if (typeof clientState !== 'string') return null;
  const at = clientState.indexOf(SEPARATOR);
  const channelId = clientState.slice(0, at);
  const token = clientState.slice(at + 1);
  return isChannelId(channelId) && isChannelToken(token) ? { channelId, token } : null;
}

type Subscription = ReturnType<typeof readSubscription>;

/**
 * https://learn.microsoft.com/graph/api/resources/subscription. Missing texts are empty; `expiresAt` is null when
 * implausible.
 */
function readSubscription(value: unknown, nowMs: number) {
  const { id, resource, notificationUrl, expirationDateTime } = recordOf(value);
  if (!isSubscriptionId(id)) throw malformedResponse();
  return {
    id,
    resource: textOf(resource) ?? '',
    notificationUrl: textOf(notificationUrl) ?? '',
    expiresAt: believableEnd(readGraphInstant(expirationDateTime) ?? Number.NaN, nowMs),
  };
}

/** Graph's ids are GUIDs. Accepts every id that is safe in a path. */
function isSubscriptionId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,128}$/.test(value);
}

/** Further items of a message are ignored: the next sync finds their changes. */
const MAX_ITEMS = 1_000;

/** https://learn.microsoft.com/graph/api/resources/enums#changetype-values */
const CHANGES: ReadonlySet<unknown> = new Set(['created', 'updated', 'deleted']);

/** https://learn.microsoft.com/graph/change-notifications-lifecycle-events */
const LIFECYCLE: ReadonlyMap<unknown, ChannelNotification['kind']> = new Map([
  ['reauthorizationRequired', 'reauthorize'],
  ['subscriptionRemoved', 'removed'],
  ['missed', 'missed'],
]);

/**
 * Reads a `changeNotificationCollection` of the notification or lifecycle URL, for one or more subscriptions. Leaves
 * out unknown kinds and foreign items.
 */
export function readMicrosoftNotifications(body: unknown): ChannelNotification[] {
  return listOf(recordOf(body)['value'])
    .slice(0, MAX_ITEMS)
    .flatMap((item) => readItem(recordOf(item)) ?? []);
}

function readItem({ clientState, subscriptionId, lifecycleEvent, changeType }: Record<string, unknown>) {
  const key = readClientState(clientState);
  if (key === null || !isSubscriptionId(subscriptionId)) return null;
  const kind =
    lifecycleEvent == null ? (CHANGES.has(changeType) ? 'change' : undefined) : LIFECYCLE.get(lifecycleEvent);
  return kind === undefined ? null : { ...key, subscriptionId, kind };
}

const VALIDATION_TOKEN = 'validationToken';
/** Graph's tokens have about a hundred bytes. */
const MAX_TOKEN_BYTES = 1_024;

/**
 * Returns the decoded text that Graph wants echoed before it creates a subscription:
 * https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#notificationurl-validation
 * @throws DomainError ValidationFailed
 */
export function readValidationToken(query: Readonly<Record<string, unknown>>): string | null {
  const token = query[VALIDATION_TOKEN];
  if (token === undefined) return null;
  if (typeof token !== 'string') throw invalid(VALIDATION_TOKEN, 'must be given once');
  if (token === '' || Buffer.byteLength(token) > MAX_TOKEN_BYTES) {
    throw invalid(VALIDATION_TOKEN, `must have 1 to ${MAX_TOKEN_BYTES} bytes`);
  }
  return token;
}
