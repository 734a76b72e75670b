import type { CalDavConnection } from '../connection.js';
import type { CalendarCollection } from '../dav/contract.js';

const CTAG = '{http://calendarserver.org/ns/}getctag';

/** The collection's change tag as of now; null when it has none that can be trusted. */
export async function changeTag({ client }: CalDavConnection, { href }: CalendarCollection): Promise<string | null> {
  const { responses } = await client.propfind(href, '0', [CTAG]);
  const tag = responses[0]?.properties.get(CTAG)?.text.trim() ?? '';
  // A clock for a tag misses the second change within one second: as good as none.
  return tag === '' || /^"?\d{9,13}"?$/.test(tag) ? null : tag;
}
