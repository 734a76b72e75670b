import { recordOf } from '#providers/kit/events';
import type { GraphConnection } from './connection.js';
import { nonsense } from './errors.js';
import type { GraphCall } from './graph-transport.js';

/** More than a list of anything but events has. */
const MAX_PAGES = 20;

/** All pages of a list. @throws DomainError ProviderUnavailable for a list that makes no sense, or has no end */
export async function readRows(connection: GraphConnection, call: GraphCall): Promise<unknown[]> {
  const rows: unknown[] = [];
  let page = recordOf(await connection.call('read', call));
  for (let pages = 1; ; pages += 1) {
    if (!Array.isArray(page['value'])) throw nonsense();
    rows.push(...(page['value'] as unknown[]));
    const next = page['@odata.nextLink'] ?? null;
    if (next === null) return rows;
    // A list that goes on somewhere must not end here.
    if (typeof next !== 'string' || pages >= MAX_PAGES) throw nonsense();
    page = recordOf(await connection.follow(connection.stateOf(next)));
  }
}
