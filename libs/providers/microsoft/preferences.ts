/**
 * What every call asks for: ids that survive a move between folders, times in UTC, bodies as text
 * (https://learn.microsoft.com/graph/outlook-immutable-id, https://learn.microsoft.com/graph/api/event-get).
 */
const PREFERENCES: readonly (readonly [name: string, preference: string])[] = [
  ['idtype', 'IdType="ImmutableId"'],
  ['outlook.timezone', 'outlook.timezone="UTC"'],
  ['outlook.body-content-type', 'outlook.body-content-type="text"'],
];

/** One preference of a `Prefer` header (RFC 7240 §2), quoted values with commas in them included. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;

const USUAL = PREFERENCES.map(([, preference]) => preference).join(', ');

/** Value of the `Prefer` header. @param own a caller's preferences, which win over the usual ones of the same name */
export function preferHeader(own: string | undefined): string {
  if (own === undefined) return USUAL;
  const wanted = new Map(PREFERENCES);
  for (const match of own.matchAll(PREFERENCE)) {
    const preference = match[0].trim();
    const name = preference.split('=', 1)[0]?.trim().toLowerCase() ?? '';
    if (name !== '') wanted.set(name, preference);
  }
  return [...wanted.values()].join(', ');
}
