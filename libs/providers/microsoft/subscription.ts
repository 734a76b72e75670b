import { believableEnd } from '#providers/kit/calls';
import { recordOf, textOf } from '#providers/kit/events';
import { nonsense } from './errors.js';
import { readGraphInstant } from './events/graph-times.js';

/** https://learn.microsoft.com/graph/api/resources/subscription */
export interface Subscription {
  id: string;
  /** As whoever made it said them; empty when they are not told. */
  resource: string;
  notificationUrl: string;
  /** null when it cannot be true. */
  expiresAt: Date | null;
}

/** @throws DomainError ProviderUnavailable, for what is no subscription */
export function readSubscription(value: unknown, nowMs: number): Subscription {
  const { id, resource, notificationUrl, expirationDateTime } = recordOf(value);
  if (!isSubscriptionId(id)) throw nonsense();
  return {
    id,
    resource: textOf(resource) ?? '',
    notificationUrl: textOf(notificationUrl) ?? '',
    expiresAt: believableEnd(readGraphInstant(expirationDateTime) ?? Number.NaN, nowMs),
  };
}

/** Graph's ids of subscriptions are GUIDs; anything that can be part of a path is taken. */
export function isSubscriptionId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,128}$/.test(value);
}
