import { invalid, type ChannelNotification } from '#domain';
import { listOf, recordOf } from '#providers/kit/events';
import { readClientState } from './client-state.js';
import { isSubscriptionId } from './subscription.js';

/** One item of what Graph pushes, with nothing verified but its form. */
export interface MicrosoftPush extends ChannelNotification {
  /** Graph's id of the subscription. */
  subscriptionId: string;
}

/** Items of one message that are read; the rest is found by looking. */
const MAX_ITEMS = 1_000;

/** https://learn.microsoft.com/graph/api/resources/enums#changetype-values */
const CHANGES: ReadonlySet<unknown> = new Set(['created', 'updated', 'deleted']);

/** https://learn.microsoft.com/graph/change-notifications-lifecycle-events */
const LIFECYCLE: ReadonlyMap<unknown, MicrosoftPush['kind']> = new Map([
  ['reauthorizationRequired', 'reauthorize'],
  ['subscriptionRemoved', 'removed'],
  ['missed', 'missed'],
]);

/**
 * Reads a `changeNotificationCollection`, of the notification URL and of the lifecycle URL alike; several subscriptions
 * may be in it. Items that no subscription of ours can have sent, and those of kinds that are new, are left out.
 * @param body parsed JSON, whatever it is
 */
export function readMicrosoftPushes(body: unknown): MicrosoftPush[] {
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
/** Graph's have about a hundred. */
const MAX_TOKEN_BYTES = 1_024;

/**
 * Reads what Graph wants to have repeated before it creates a subscription; null when it asks for nothing. The query
 * parser has decoded it, once:
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
