import type { CalendarApiRequest } from '../contract.js';
import { hidesDetails } from './event-view.js';
import type { EventRecord, Role } from './model.js';
import { invalid } from './errors.js';
import { listParameter, textParameter } from './request.js';

/** Filter of list parameters that do not concern time. @throws GoogleErrorResponse 400 */
export function eventFilter(request: CalendarApiRequest, role: Role): (record: EventRecord) => boolean {
  const iCalUID = textParameter(request, 'iCalUID');
  const eventTypes = listParameter(request, 'eventTypes');
  const own = propertiesOf(request, 'privateExtendedProperty');
  const shared = propertiesOf(request, 'sharedExtendedProperty');
  const looksInside = own.length + shared.length > 0;
  return (record) =>
    (iCalUID === undefined || record.iCalUID === iCalUID) &&
    (eventTypes.length === 0 || eventTypes.includes(record.own.eventType)) &&
    // A search must not reveal hidden details either.
    !(looksInside && hidesDetails(record, role)) &&
    hasAll(record.own.properties, own) &&
    hasAll(record.shared.properties, shared);
}

function propertiesOf(request: CalendarApiRequest, name: string): [string, string][] {
  return listParameter(request, name).map((constraint) => {
    const equals = constraint.indexOf('=');
    if (equals < 1) throw invalid(`Invalid value for: ${name}.`, name);
    return [constraint.slice(0, equals), constraint.slice(equals + 1)];
  });
}

function hasAll(properties: Readonly<Record<string, string>>, wanted: readonly [string, string][]): boolean {
  return wanted.every(([key, value]) => Object.hasOwn(properties, key) && properties[key] === value);
}
