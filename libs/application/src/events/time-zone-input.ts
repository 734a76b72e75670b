import { invalid } from '#domain';
import { ianaZone } from '#icalendar';

/** The IANA id of a zone a caller named (aliases keep their name, Windows names are mapped). @throws DomainError ValidationFailed */
export function readTimeZone(path: string, name: string): string {
  const timeZone = name.length > 200 ? null : ianaZone(name);
  if (timeZone === null) throw invalid(path, `"${name.slice(0, 64)}" is not a known time zone`);
  return timeZone;
}
