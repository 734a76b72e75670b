/**
 * Parses Prefer headers (RFC 7240 §2). Names are in lower case, absent values empty; the first one of a name counts.
 */
export function parsePrefer(header: string): Record<string, string> {
  const preferences: Record<string, string> = {};
  for (const [, name = '', quoted, bare = ''] of header.matchAll(
    /(?:^|,)\s*([^\s=,;"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?[^,"]*(?=,|$)/g,
  )) {
    const key = name.toLowerCase();
    if (!Object.hasOwn(preferences, key)) preferences[key] = quoted?.replace(/\\(.)/g, '$1') ?? bare;
  }
  return preferences;
}
