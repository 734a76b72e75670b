import type { CalendarApiRequest } from '../contract.js';
import { hidesDetails } from './event-view.js';
import type { EventRecord, Role } from './model.js';
import { invalid } from './refusals.js';
import { listParameter, textParameter } from './request.js';

/** Titles that status events have where they are shown without one; searches find them, in any language. */
const SHOWN_TITLES: Readonly<Record<string, readonly string[]>> = {
  outOfOffice: ['Out of office', 'Abwesend'],
  focusTime: ['Focus time', 'Fokuszeit'],
  workingLocation: ['Home', 'Office', 'Bureau', 'Büro'],
};

/** The parameters of a list that look at what an event is, not at when. @throws GoogleRefusal 400 */
export function eventFilter(request: CalendarApiRequest, role: Role): (record: EventRecord) => boolean {
  const iCalUID = textParameter(request, 'iCalUID');
  const eventTypes = listParameter(request, 'eventTypes');
  const terms = (textParameter(request, 'q') ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== '');
  const own = propertiesOf(request, 'privateExtendedProperty');
  const shared = propertiesOf(request, 'sharedExtendedProperty');
  const looksInside = terms.length + own.length + shared.length > 0;
  return (record) =>
    (iCalUID === undefined || record.iCalUID === iCalUID) &&
    (eventTypes.length === 0 || eventTypes.includes(record.own.eventType)) &&
    // What a viewer must not see cannot be found out by searching for it either.
    !(looksInside && hidesDetails(record, role)) &&
    hasAll(record.own.properties, own) &&
    hasAll(record.shared.properties, shared) &&
    matches(record, terms);
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

function matches(record: EventRecord, terms: readonly string[]): boolean {
  if (terms.length === 0) return true;
  const text = textsOf(record).join('\n').toLowerCase();
  return terms.every((term) => text.includes(term));
}

function textsOf({ shared, own, attendees, organizer }: EventRecord): string[] {
  const { officeLocation, customLocation } = own.typeProperties.workingLocationProperties ?? {};
  const people = [...attendees, organizer].flatMap(({ email, displayName }) => [email, displayName]);
  return [
    shared.summary,
    shared.description,
    shared.location,
    ...people,
    officeLocation?.buildingId,
    officeLocation?.deskId,
    officeLocation?.label,
    customLocation?.label,
    ...(SHOWN_TITLES[own.eventType] ?? []),
  ].filter((text) => text != null);
}
