import type { EventInput, ExtendedProperties } from '#domain/events';
import { invalid } from '#domain/system';
import { escapeText, unescapeText, type EditableComponent, type IcsComponent } from '#icalendar';
import { parsedJson } from '#providers/kit/calls';
import { recordOf } from '#providers/kit/events';

/** Other forms of a text, which contradict it after a change (caldav-apple.md §5.1). */
const CONTRADICTIONS = {
  SUMMARY: { properties: [], components: [] },
  DESCRIPTION: { properties: ['X-ALT-DESC', 'STYLED-DESCRIPTION'], components: [] },
  LOCATION: { properties: ['X-APPLE-STRUCTURED-LOCATION', 'GEO'], components: ['VLOCATION'] },
} as const;

const BUSY_STATUS = 'X-MICROSOFT-CDO-BUSYSTATUS';
const EVENT_TYPE = 'X-UCAL-EVENT-TYPE';

export function readText(event: IcsComponent, name: string): string | undefined {
  const property = event.property(name);
  return property === undefined ? undefined : unescapeText(property.value);
}

/** null and empty text remove the property. @throws DomainError ValidationFailed */
export function writeText(
  event: EditableComponent,
  name: keyof typeof CONTRADICTIONS,
  path: string,
  text: string | null | undefined,
): void {
  if (text === undefined) return;
  const normalized = checkText(path, text ?? '');
  if ((readText(event, name) ?? '') === normalized) return;
  for (const other of CONTRADICTIONS[name].properties) event.removeProperties(other);
  for (const kind of CONTRADICTIONS[name].components) {
    for (const component of event.componentsNamed(kind)) event.removeComponent(component);
  }
  if (normalized === '') {
    event.removeProperties(name);
    return;
  }
  event.setProperty(name, escapeText(normalized));
  const property = event.property(name);
  if (property === undefined) return;
  // ALTREP points to another form of the old text; ENCODING and CHARSET (vCalendar 1.0) describe its encoding.
  for (const parameter of ['ALTREP', 'ENCODING', 'CHARSET']) {
    if (property.parameter(parameter) !== undefined) event.setParameter(property, parameter, null);
  }
}

/** Normalizes line breaks to `\n`. @throws DomainError ValidationFailed for invalid text (RFC 5545 §3.1) */
export function checkText(path: string, text: string): string {
  const normalized = text.replace(/\r\n?/g, '\n');
  // eslint-disable-next-line no-control-regex
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(normalized)) throw invalid(path, 'must not hold control characters');
  if (!normalized.isWellFormed()) throw invalid(path, 'must be well-formed Unicode');
  return normalized;
}

export function readVisibility(event: IcsComponent): 'default' | 'public' | 'private' | 'confidential' {
  const value = event.property('CLASS')?.value.trim().toUpperCase();
  if (value === undefined || value === '') return 'default';
  if (value === 'PUBLIC') return 'public';
  // RFC 5545 §3.8.1.3: an unknown value counts as PRIVATE.
  return value === 'CONFIDENTIAL' ? 'confidential' : 'private';
}

export function writeVisibility(event: EditableComponent, visibility: EventInput['visibility']): void {
  if (visibility === undefined || (visibility ?? 'default') === readVisibility(event)) return;
  if (visibility === null || visibility === 'default') event.removeProperties('CLASS');
  else event.setProperty('CLASS', visibility.toUpperCase(), {});
}

export function readTransparency(event: IcsComponent): 'opaque' | 'transparent' {
  const value = event.property('TRANSP')?.value.trim().toUpperCase();
  if (value === undefined) return busyStatus(event) === 'FREE' ? 'transparent' : 'opaque';
  return value === 'TRANSPARENT' ? 'transparent' : 'opaque';
}

export function writeTransparency(event: EditableComponent, transparency: EventInput['transparency']): void {
  if (transparency === undefined) return;
  const wanted = transparency ?? 'opaque';
  if (wanted === readTransparency(event)) return;
  event.setProperty('TRANSP', wanted.toUpperCase(), {});
  const status = busyStatus(event);
  if (wanted === 'opaque' && status === 'FREE') event.setProperty(BUSY_STATUS, 'BUSY');
  if (wanted === 'transparent' && status === 'BUSY') event.setProperty(BUSY_STATUS, 'FREE');
}

export function readEventType(event: IcsComponent): 'default' | 'outOfOffice' | 'focusTime' {
  if (event.property(EVENT_TYPE)?.value.trim() === 'focusTime') return 'focusTime';
  return busyStatus(event) === 'OOF' ? 'outOfOffice' : 'default';
}

export function writeEventType(event: EditableComponent, eventType: EventInput['eventType']): void {
  if (eventType === undefined) return;
  const wanted = eventType ?? 'default';
  if (wanted === readEventType(event)) return;
  event.removeProperties(EVENT_TYPE);
  if (wanted === 'outOfOffice') event.setProperty(BUSY_STATUS, 'OOF', {});
  else if (busyStatus(event) === 'OOF') event.setProperty(BUSY_STATUS, 'BUSY');
  if (wanted === 'focusTime') event.setProperty(EVENT_TYPE, 'focusTime');
}

function busyStatus(event: IcsComponent): string | undefined {
  return event.property(BUSY_STATUS)?.value.trim().toUpperCase();
}

const PUBLIC = 'X-UCAL-PUBLIC';
const MAX_ENCODED_BYTES = 8 * 1024;

/** Public properties are one line, as base64url of a JSON object: servers re-escape and re-order other X- lines. */
export function readPublicProperties(event: IcsComponent): ExtendedProperties {
  const value = event.property(PUBLIC)?.value.trim() ?? '';
  if (value === '' || value.length > MAX_ENCODED_BYTES) return {};
  const parsed = parsedJson(Buffer.from(value, 'base64url'));
  if (Array.isArray(parsed)) return {};
  const entries = Object.entries(recordOf(parsed)).filter(
    ([key, text]) => typeof text === 'string' && key !== '__proto__',
  );
  return Object.fromEntries(entries) as ExtendedProperties;
}

/** null and `{}` remove the properties. @throws DomainError ValidationFailed beyond 8 KiB */
export function writePublicProperties(
  event: EditableComponent,
  properties: ExtendedProperties | null | undefined,
): void {
  if (properties === undefined) return;
  if (properties === null || Object.keys(properties).length === 0) {
    event.removeProperties(PUBLIC);
    return;
  }
  const encoded = encodeProperties('publicExtendedProperties', properties);
  if (event.property(PUBLIC)?.value.trim() !== encoded) event.setProperty(PUBLIC, encoded, {});
}

/** Private properties are stored elsewhere with the same limits. @throws DomainError ValidationFailed */
export function checkPrivateProperties(properties: ExtendedProperties | null | undefined): void {
  if (properties !== undefined && properties !== null) encodeProperties('privateExtendedProperties', properties);
}

function encodeProperties(path: string, properties: ExtendedProperties): string {
  for (const [key, value] of Object.entries(properties)) {
    if (key === '' || key === '__proto__') throw invalid(path, 'holds a key that cannot be used');
    if (!key.isWellFormed() || !value.isWellFormed()) throw invalid(path, 'must be well-formed Unicode');
  }
  const encoded = Buffer.from(JSON.stringify(properties), 'utf8').toString('base64url');
  if (encoded.length > MAX_ENCODED_BYTES) throw invalid(path, 'must not be larger than 8 KiB in all');
  return encoded;
}
