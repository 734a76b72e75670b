import type { WriteOptions } from '#domain/providers';
import type { CalDavAccount } from '../dav/contract.js';
import type { Audience, WriteContext } from '../events/contract.js';

/** RFC 6638 §3.2. A schedule-outbox is no sign: sabre/dav 1.8 has one and leaves scheduling to clients. */
function schedules({ dav }: CalDavAccount): boolean {
  return dav.includes('calendar-auto-schedule');
}

/** SOGo writes events into the calendars of guests and ignores SCHEDULE-AGENT. */
function mindsAgent({ homeHrefs, collectionHref }: CalDavAccount): boolean {
  return ![...homeHrefs, collectionHref ?? ''].some((href) => href.startsWith('/SOGo/dav/'));
}

/** Returns the agent that a write sets; without the option, the server notifies all guests. */
export function scheduleAgentOf(
  account: CalDavAccount,
  { notifyParticipants }: WriteOptions,
): WriteContext['scheduleAgent'] {
  if (!schedules(account) || !mindsAgent(account)) return null;
  return notifyParticipants === 'none' ? 'CLIENT' : 'SERVER';
}

/** `Schedule-Reply: F` keeps a deletion from the organizer, but never from a guest (RFC 6638 §8.1). */
export function audienceOfDeletion(audience: Audience, { notifyParticipants }: WriteOptions): Audience {
  return notifyParticipants === 'none' && audience.kind === 'organizer' ? { ...audience, notified: 0 } : audience;
}

/**
 * Names the option when a write notified someone, or omitted someone, against it.
 * @param audiences of the written objects, as RFC 6638 defines them
 */
export function ignoredNotifyOption(
  account: CalDavAccount,
  { notifyParticipants }: WriteOptions,
  ...audiences: readonly Audience[]
): string[] {
  const concerned = audiences.reduce((sum, audience) => sum + audience.concerned, 0);
  if (notifyParticipants === undefined || concerned === 0) return [];
  const notified = !schedules(account)
    ? 0
    : mindsAgent(account)
      ? audiences.reduce((sum, audience) => sum + audience.notified, 0)
      : concerned;
  // CalDAV cannot restrict notifications to guests of other domains.
  const isHonored =
    (notifyParticipants === 'none' && notified === 0) || (notifyParticipants === 'all' && notified === concerned);
  return isHonored ? [] : ['notifyParticipants'];
}
