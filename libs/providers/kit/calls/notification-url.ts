import { NotificationUrlUnreachable } from '#domain';
import { isPublicUrl } from '#egress';
import type { ProviderRefusal } from './provider-refusal.js';

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
