import type { IcsComponent } from '#icalendar';
import { eventsIn, openObject, unlessBroken } from './calendar-object.js';
import type { Audience } from './contract.js';
import { ownAttendee, readResponse } from './attendees.js';
import { agentOf, guestAgents, isOrganizer } from './schedule-agent.js';

/** Returns whom a scheduling server notifies of a write, by both versions (RFC 6638 §3.2); null means no object. */
export function audienceOf(
  before: Uint8Array | string | null,
  after: Uint8Array | string | null,
  ownAddresses: readonly string[],
): Audience {
  const [was, is] = [eventsOf(before), eventsOf(after)];
  if (was === null || is === null) return UNKNOWN;
  if (isOrganizer(was, ownAddresses) || isOrganizer(is, ownAddresses)) return guestsNotified(was, is, ownAddresses);
  const isInvited = [...was, ...is].some((event) => ownAttendee(event, ownAddresses) !== undefined);
  const organizer = [...is, ...was].find((event) => event.property('ORGANIZER') !== undefined)?.property('ORGANIZER');
  if (!isInvited || organizer === undefined || !isReply(was, is, ownAddresses)) return NOBODY;
  return { kind: 'organizer', concerned: 1, notified: agentOf(organizer) === null ? 1 : 0 };
}

const NOBODY: Audience = { kind: 'guests', concerned: 0, notified: 0 };
/** Result for an unreadable object: neither "all notified" nor "none notified" holds. */
const UNKNOWN: Audience = { kind: 'guests', concerned: 2, notified: 1 };

function guestsNotified(
  was: readonly IcsComponent[],
  is: readonly IcsComponent[],
  ownAddresses: readonly string[],
): Audience {
  const [before, after] = [guestAgents(was, ownAddresses), guestAgents(is, ownAddresses)];
  const guests = [...new Set([...before.keys(), ...after.keys()])];
  const notified = guests.filter((id) => {
    const [old, now] = [before.get(id), after.get(id)];
    const isTried = now?.isOurs === true && now.isTried;
    return old?.agent === null || now?.agent === null || isTried;
  });
  return { kind: 'guests', concerned: guests.length, notified: notified.length };
}

/** True for a reply or its withdrawal: another PARTSTAT or EXDATE, or no component left (RFC 6638 §3.2.2). */
function isReply(was: readonly IcsComponent[], is: readonly IcsComponent[], ownAddresses: readonly string[]): boolean {
  if (is.length === 0 || was.length === 0) return true;
  const responses = (events: readonly IcsComponent[]) =>
    new Map(
      events.map((event) => {
        const own = ownAttendee(event, ownAddresses);
        return [event.property('RECURRENCE-ID')?.value ?? '', own === undefined ? null : readResponse(own)];
      }),
    );
  const before = responses(was);
  const exclusions = (events: readonly IcsComponent[]) =>
    events.flatMap((event) => event.propertiesNamed('EXDATE').map(({ line }) => line)).join('\n');
  if (exclusions(was) !== exclusions(is)) return true;
  return [...responses(is)].some(
    ([instance, response]) => response !== (before.get(instance) ?? before.get('') ?? null),
  );
}

function eventsOf(text: Uint8Array | string | null): readonly IcsComponent[] | null {
  if (text === null) return [];
  return unlessBroken(() => {
    const object = openObject(text, 'UTC');
    return object === null ? [] : eventsIn(object);
  });
}
