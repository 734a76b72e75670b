import type { WriteOptions } from '#domain';
import type { CalDavAccount } from '../dav/contract.js';
import type { Audience, WriteContext } from '../events/contract.js';

/** RFC 6638 §3.2. A schedule-outbox says nothing: servers that leave it to clients have one, too (sabre/dav 1.8). */
function schedules({ dav }: CalDavAccount): boolean {
  return dav.includes('calendar-auto-schedule');
}

/** SOGo puts events into the calendars of guests whatever SCHEDULE-AGENT their lines have. */
function mindsAgent({ homeHrefs, collectionHref }: CalDavAccount): boolean {
  return ![...homeHrefs, collectionHref ?? ''].some((href) => href.startsWith('/SOGo/dav/'));
}

/** How a write says whom the server is to tell. Nothing asked: all of them. */
export function scheduleAgentOf(
  account: CalDavAccount,
  { notifyParticipants }: WriteOptions,
): WriteContext['scheduleAgent'] {
  if (!schedules(account) || !mindsAgent(account)) return null;
  return notifyParticipants === 'none' ? 'CLIENT' : 'SERVER';
}

/** `Schedule-Reply: F` keeps the organizer, and no guest, from hearing of a deletion (RFC 6638 §8.1). */
export function deletionHeard(audience: Audience, { notifyParticipants }: WriteOptions): Audience {
  return notifyParticipants === 'none' && audience.kind === 'organizer' ? { ...audience, told: 0 } : audience;
}

/**
 * Names the option when a write told somebody, or left somebody out, against it.
 * @param audiences of the objects written, as RFC 6638 has them
 */
export function unheard(
  account: CalDavAccount,
  { notifyParticipants }: WriteOptions,
  ...audiences: readonly Audience[]
): string[] {
  const concerned = audiences.reduce((sum, audience) => sum + audience.concerned, 0);
  if (notifyParticipants === undefined || concerned === 0) return [];
  const told = !schedules(account)
    ? 0
    : mindsAgent(account)
      ? audiences.reduce((sum, audience) => sum + audience.told, 0)
      : concerned;
  // Guests of other domains alone cannot be named to a server.
  const isHeard = (notifyParticipants === 'none' && told === 0) || (notifyParticipants === 'all' && told === concerned);
  return isHeard ? [] : ['notifyParticipants'];
}
