import { ALLOW_ENTRY, AllowList } from './allow-list.js';
import { parseUrl } from './url-shape.js';

export { ALLOW_ENTRY };

/** Positions of invalid entries, from 1. */
export function unreadableAllowEntries(allow: string): number[] {
  return allow.split(',').flatMap((entry, index) => (isReadable(() => new AllowList(entry, [])) ? [] : [index + 1]));
}

export function isRequestUrl(url: string): boolean {
  return isReadable(() => parseUrl(url));
}

/** Drops the errors, whose messages repeat the text. */
function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
