import { ALLOW_ENTRY, AllowList } from './allow-list.js';
import { parseUrl } from './url-shape.js';

export { ALLOW_ENTRY };

/** The places, from 1, of the entries of an `EGRESS_ALLOW` that are none of {@link ALLOW_ENTRY}. */
export function unreadableAllowEntries(allow: string): number[] {
  return allow.split(',').flatMap((entry, index) => (isReadable(() => new AllowList(entry, [])) ? [] : [index + 1]));
}

/** Whether requests can go there as far as the URL's own text says. */
export function isRequestUrl(url: string): boolean {
  return isReadable(() => parseUrl(url));
}

/** The reasons are not passed on: they repeat the text. */
function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
