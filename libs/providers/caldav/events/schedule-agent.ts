import type { EditableComponent, IcsComponent, IcsProperty } from '#icalendar';
import { isOwnAddress, readAddress, readOrganizer } from './attendees.js';
import type { CalendarObject } from './calendar-object.js';
import type { WriteContext } from './contract.js';

/** Marks a SCHEDULE-AGENT written by this service. Any other one is a decision of another client, and stays. */
const OURS = 'X-UCAL-SILENT';
const AGENT = 'SCHEDULE-AGENT';

/** Who notifies one guest, over all components of an object: RFC 6638 §7.1 requires the same agent in all. */
export interface GuestAgent {
  /** As written; null when the server notifies the guest, which is the default. */
  agent: string | null;
  isOurs: boolean;
  /** True with a SCHEDULE-STATUS: the server has tried to notify the guest (RFC 6638 §3.2.1.1). */
  isTried: boolean;
}

/** Agents by guest id; empty when the user is not the organizer. */
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
 * With CLIENT, new guests are not notified. Existing guests keep their agent, because removing the server as agent
 * makes it send a cancellation (RFC 6638 §3.2.1.2). With SERVER, the server invites guests whom an earlier write kept
 * silent.
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
        // The guest is new to this instance, and other instances already have an agent.
        setAgent(event, property, before.agent, before.isOurs);
      }
    }
  }
}

/** The ORGANIZER of the components decides who owns an object (RFC 6638 §3.1). */
export function isOrganizer(events: readonly IcsComponent[], ownAddresses: readonly string[]): boolean {
  return events.some((event) => readOrganizer(event, ownAddresses)?.isSelf === true);
}

/** Omits the user's own line: the server never notifies the organizer (RFC 6638 §3.2.1). */
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
