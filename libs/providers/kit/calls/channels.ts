import { NotificationUrlUnreachable } from '#domain';
import { isPublicUrl } from '#egress';
import type { ProviderRefusal } from './provider-refusal.js';

/** Longest life of a channel that is believed: what is asked for is a week. */
const LONGEST_LIFE_MS = 366 * 86_400_000;
const CHANNEL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CHANNEL_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * When a channel ends by its provider's word.
 * @param endsAtMs NaN for a word that says no time
 * @returns null when it cannot be true: over already, or absurdly far away
 */
export function believableEnd(endsAtMs: number, nowMs: number): Date | null {
  const lifeMs = endsAtMs - nowMs;
  return lifeMs > 0 && lifeMs <= LONGEST_LIFE_MS ? new Date(endsAtMs) : null;
}

/** Whether we can have called a channel so: a UUID in lower case, as in `ChannelRequest`. */
export function isChannelId(value: unknown): value is string {
  return typeof value === 'string' && CHANNEL_ID.test(value);
}

/** Whether it has the form of a channel's token: 43 characters of base64url, as in `ChannelRequest`. */
export function isChannelToken(value: unknown): value is string {
  return typeof value === 'string' && CHANNEL_TOKEN.test(value);
}

/**
 * A provider on the Internet takes some addresses that it can never reach, and then says nothing. One that is in our own
 * network (a sandbox) may reach what is there, too.
 * @param providerRoot where the provider is asked
 * @throws NotificationUrlUnreachable
 */
export function assertReachable(providerRoot: string, notificationUrl: string, message: string): void {
  if (isPublicUrl(providerRoot) && !isPublicUrl(notificationUrl)) throw new NotificationUrlUnreachable(message);
}

/** The provider has found out by itself. */
export function unreachable(message: string, { status, code }: ProviderRefusal): NotificationUrlUnreachable {
  return new NotificationUrlUnreachable(message, { provider: { status, code, message, retryable: false } });
}
