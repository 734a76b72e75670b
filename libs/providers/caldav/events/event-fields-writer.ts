import type { EventInput } from '#domain/events';
import { DomainError } from '#domain/system';
import type { IcsTimes } from '#providers/kit/series';
import type { EditableComponent } from '#icalendar';
import { writeReminders } from './alarms.js';
import { ownEmail, writeAttendees, writeMyResponse } from './attendees.js';
import type { WriteContext } from './contract.js';
import { writeColors } from './colors.js';
import {
  checkPrivateProperties,
  writeEventType,
  writePublicProperties,
  writeText,
  writeTransparency,
  writeVisibility,
} from './event-fields.js';
import type { IcsSpan } from './event-span.js';

/** @throws DomainError NotSupportedByProvider for online meetings */
export function checkSupported({ generateMeetingUrlProvider, conferenceData }: EventInput): void {
  if (conferenceData !== undefined && conferenceData !== null) {
    throw new DomainError('NotSupportedByProvider', 'conferenceData: this provider holds no online meetings');
  }
  if (generateMeetingUrlProvider !== undefined && generateMeetingUrlProvider !== null) {
    throw new DomainError('NotSupportedByProvider', 'This provider cannot create online meetings');
  }
}

/**
 * Writes all fields but times and recurrence. Changes only lines of given fields whose value differs.
 * @param span times of the event after the change; null when unreadable
 * @returns names of fields that iCalendar cannot hold
 */
export function writeFields(
  event: EditableComponent,
  input: EventInput,
  span: IcsSpan | null,
  times: IcsTimes,
  context: WriteContext,
): string[] {
  writeText(event, 'SUMMARY', 'title', input.title);
  writeText(event, 'DESCRIPTION', 'description', input.description);
  writeText(event, 'LOCATION', 'location', input.location);
  writeVisibility(event, input.visibility);
  writeTransparency(event, input.transparency);
  writeEventType(event, input.eventType);
  writeColors(event, input);
  writePublicProperties(event, input.publicExtendedProperties);
  checkPrivateProperties(input.privateExtendedProperties);
  const ignored = writeAttendees(event, input, context);
  if (writeMyResponse(event, input.myResponseStatus, context.ownAddresses)) ignored.push('myResponseStatus');
  writeReminders(event, input.reminders, {
    startMs: span === null ? 0 : times.instantOf(span.start),
    endMs: span === null ? 0 : times.instantOf(span.end),
    email: ownEmail(context.ownAddresses),
  });
  return ignored;
}
