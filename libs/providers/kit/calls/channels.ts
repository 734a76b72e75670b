import { NotificationUrlUnreachable } from '#domain/system';
import { isPublicUrl } from '#egress';
import type { ProviderResponseError } from './provider-error.js';

/** Maximum plausible life of a channel. We request a week. */
const MAX_CHANNEL_LIFETIME_MS = 366 * 86_400_000;
const CHANNEL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CHANNEL_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** @param endsAtMs as the provider says, or NaN @returns null when it has passed or is implausibly late */
export function believableEnd(endsAtMs: number, nowMs: number): Date | null {
  const lifeMs = endsAtMs - nowMs;
  return lifeMs > 0 && lifeMs <= MAX_CHANNEL_LIFETIME_MS ? new Date(endsAtMs) : null;
}

export function isChannelId(value: unknown): value is string {
  return typeof value === 'string' && CHANNEL_ID.test(value);
}

export function isChannelToken(value: unknown): value is string {
  return typeof value === 'string' && CHANNEL_TOKEN.test(value);
}

/** A provider on the Internet accepts non-public URLs that it cannot reach. @throws NotificationUrlUnreachable */
export function assertReachable(providerRoot: string, notificationUrl: string, message: string): void {
  if (isPublicUrl(providerRoot) && !isPublicUrl(notificationUrl)) throw new NotificationUrlUnreachable(message);
}

export function unreachable(message: string, { status, code }: ProviderResponseError): NotificationUrlUnreachable {
  return new NotificationUrlUnreachable(message, { provider: { status, code, message, retryable: false } });
}
