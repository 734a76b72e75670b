import { DomainError, invalid, type ResponseStatus } from '#domain';
import { type EditableComponent } from '#icalendar';
import { ownAttendee, readOrganizer, setResponse } from './attendees.js';
import { type CalendarObject } from './calendar-object.js';
import { type WriteContext } from './contract.js';
import { finish } from './object-writer.js';
import { overrideOf } from './override.js';
import { type Instance } from './series-instances.js';

/**
 * Answers an invitation: our own PARTSTAT, in one instance or in the series and all its overrides that name us, and
 * nothing else, since servers refuse more from an attendee (RFC 6638 §3.2.2.1).
 * @throws DomainError ValidationFailed when we organise the event or are not invited
 */
export function respondToEvent(
  object: CalendarObject,
  instance: Instance | null,
  status: ResponseStatus,
  context: WriteContext,
): Buffer {
  const invited = instance === null ? [object.master, ...object.overrides] : [instance.component];
  const events = invited.filter((event): event is EditableComponent => event !== null);
  if (events.some((event) => readOrganizer(event, context.ownAddresses)?.isSelf === true)) {
    throw invalid('responseStatus', 'the organizer of an event does not answer an invitation to it');
  }
  const answering = events.filter((event) => ownAttendee(event, context.ownAddresses) !== undefined);
  if (answering.length === 0) throw invalid('responseStatus', 'this account is not invited to the event');
  const changed = instance === null ? answering : [overrideOf(object, instance)];
  for (const event of changed) {
    const own = ownAttendee(event, context.ownAddresses);
    if (own === undefined) throw new DomainError('Conflict', 'The invitation was lost');
    setResponse(event, own, status);
  }
  return finish(object, changed, context);
}
