import { invalid, type ExtendedProperties } from '#domain';
import { type EditableComponent, type IcsComponent } from '#icalendar';

const PUBLIC = 'X-UCAL-PUBLIC';
const MAX_ENCODED_BYTES = 8 * 1024;

/**
 * Public properties travel in one line, as base64url of a JSON object: servers re-escape and re-order what stands in
 * X- lines, but leave this alphabet alone. Whatever else somebody wrote there counts as nothing.
 */
export function readPublicProperties(event: IcsComponent): ExtendedProperties {
  const value = event.property(PUBLIC)?.value.trim() ?? '';
  if (value === '' || value.length > MAX_ENCODED_BYTES) return {};
  return readStringMap(Buffer.from(value, 'base64url').toString('utf8'));
}

/** null and `{}` remove them. @throws DomainError ValidationFailed beyond 8 KiB */
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

/** Private ones are kept elsewhere, by the same measure. @throws DomainError ValidationFailed */
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

function readStringMap(json: string): ExtendedProperties {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return {};
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {};
  return Object.fromEntries(
    Object.entries(parsed).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== '__proto__',
    ),
  );
}
