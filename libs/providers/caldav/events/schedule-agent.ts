import type { EditableComponent, IcsComponent, IcsProperty } from '#icalendar';
import { isOwnAddress, readAddress, readOrganizer } from './attendees.js';
import type { CalendarObject } from './calendar-object.js';
import type { WriteContext } from './contract.js';

/** Beside a SCHEDULE-AGENT that we wrote: any other is a decision of the user's other clients, and stays. */
const OURS = 'X-UCAL-SILENT';
const AGENT = 'SCHEDULE-AGENT';

/** Who tells one guest of changes, over all components of an object: RFC 6638 §7.1 wants it the same in all of them. */
export interface GuestAgent {
  /** As written; null when the server tells the guest, which is the default. */
  agent: string | null;
  isOurs: boolean;
  /** SCHEDULE-STATUS: the server has tried to tell the guest (RFC 6638 §3.2.1.1). */
  isTried: boolean;
}

/** By the id of the guest; empty for an object that is not ours to invite to. */
export function guestAgents(
  events: readonly IcsComponent[],
  ownAddresses: readonly string[],
): ReadonlyMap<string, GuestAgent> {
  const guests = new Map<string, GuestAgent>();
  if (!isOrganizer(events, ownAddresses)) return guests;
  for (const property of events.flatMap((event) => guestLines(event, ownAddresses))) {
    const { id } = readAddress(property);
    if (guests.get(id)?.agent === null) continue;
    guests.set(id, {
      agent: agentOf(property),
      isOurs: property.parameter(OURS) !== undefined,
      isTried: property.parameter('SCHEDULE-STATUS') !== undefined,
    });
  }
  return guests;
}

/**
 * CLIENT: new guests are not told. The others hear of it in any case: a server sends a cancellation to whom it invited
 * and is now to leave alone (RFC 6638 §3.2.1.2). SERVER: those whom an earlier write of ours kept quiet are invited.
 */
export function writeScheduleAgents(
  events: readonly EditableComponent[],
  guestsBefore: CalendarObject['guestsBefore'],
  { scheduleAgent, ownAddresses }: Pick<WriteContext, 'scheduleAgent' | 'ownAddresses'>,
): void {
  if (scheduleAgent === null || !isOrganizer(events, ownAddresses)) return;
  for (const event of events) {
    for (const property of guestLines(event, ownAddresses)) {
      const isServed = agentOf(property) === null;
      const before = guestsBefore.get(readAddress(property).id);
      const isOurs = property.parameter(OURS) !== undefined;
      if (scheduleAgent === 'SERVER' && isOurs) setAgent(event, property, null, false);
      else if (!isServed) continue;
      else if (before === undefined) {
        if (scheduleAgent === 'CLIENT') setAgent(event, property, 'CLIENT', true);
      } else if (before.agent !== null && (scheduleAgent === 'CLIENT' || !before.isOurs)) {
        // Invited to an instance now, and told by somebody else, or nobody, of all others.
        setAgent(event, property, before.agent, before.isOurs);
      }
    }
  }
}

/** An object is the organizer's by the ORGANIZER of its components (RFC 6638 §3.1). */
export function isOrganizer(events: readonly IcsComponent[], ownAddresses: readonly string[]): boolean {
  return events.some((event) => readOrganizer(event, ownAddresses)?.isSelf === true);
}

/** Without our own line: the organizer is never told (RFC 6638 §3.2.1). */
function guestLines(event: IcsComponent, ownAddresses: readonly string[]): IcsProperty[] {
  return event.propertiesNamed('ATTENDEE').filter((property) => !isOwnAddress(readAddress(property), ownAddresses));
}

export function agentOf(property: IcsProperty): string | null {
  const agent = property.parameter(AGENT) ?? 'SERVER';
  return agent.toUpperCase() === 'SERVER' ? null : agent;
}

function setAgent(event: EditableComponent, property: IcsProperty, agent: string | null, isOurs: boolean): void {
  event.setParameter(property, AGENT, agent);
  if (isOurs) event.setParameter(property, OURS, 'TRUE');
  else if (property.parameter(OURS) !== undefined) event.setParameter(property, OURS, null);
}
