import { syncCollection } from 'tsdav';
import { Pace } from '#platform/event-loop';
import { DAY_MS } from '#providers/kit/series';
import { sortedBy, sortedById, tokenExpired } from '#providers/kit/sync';
import type { DavCalendarHandle } from '../account-client.js';
import { CHANGE_TAG, reliableTag } from '../collection-properties.js';
import { xmlText } from '../dav/built-request.js';
import type { Multistatus } from '../dav/contract.js';
import type { ReportBuilder } from '../dav/dav-client.js';
import { DavStatusError, orIfRejected } from '../dav/dav-errors.js';
import { eventIdOfPath } from '../ids.js';
import { LISTED_PROPERTIES, OBJECT_PROPERTIES, toListed, type ListedResource } from './resources.js';

export interface CollectionChanges {
  changed: ListedResource[];
  removed: string[];
  token: string;
}

/** A partial response continues from its own token (RFC 6578 §3.6). The next sync reads changes beyond these limits. */
const MAX_ROUNDS = 100;
const MAX_CHANGES = 60_000;
/**
 * DAViCal deletes tokens after seven days and answers an unknown one with all resources, but without deletions. A full
 * read then costs no more than this response.
 */
const TOKEN_EXPIRES_AFTER_MS = 6 * DAY_MS;
const NOT_SUPPORTED: ReadonlySet<number> = new Set([400, 403, 404, 405, 409, 415, 422, 500, 501, 507]);

/** Returns the whole collection and its token; null when the server does not support it, or not with bodies. */
export async function initialSync(calendar: DavCalendarHandle, withBodies = false): Promise<CollectionChanges | null> {
  const changes = await orIfRejected(run(calendar, '', withBodies), null, NOT_SUPPORTED);
  // An initial sync has no removals (RFC 6578 §3.4), but some servers send them.
  return changes && { ...changes, removed: [] };
}

/** @param ageMs since the server was last seen to know the token. @throws DomainError SyncTokenExpired */
export async function changesSince(
  calendar: DavCalendarHandle,
  token: string,
  ageMs: number,
): Promise<CollectionChanges> {
  const changes = await knownChanges(calendar, token);
  const isSuspect = ageMs >= TOKEN_EXPIRES_AFTER_MS && changes.token !== token && changes.removed.length === 0;
  if (!isSuspect) return changes;
  // Changes that cover the whole collection lack its deletions.
  const initial = await initialSync(calendar);
  const ids = new Set(changes.changed.map(({ id }) => id));
  if (initial !== null && initial.changed.every(({ id }) => ids.has(id))) throw tokenExpired();
  return changes;
}

async function knownChanges(calendar: DavCalendarHandle, token: string): Promise<CollectionChanges> {
  try {
    return await run(calendar, token);
  } catch (error) {
    if (!(error instanceof DavStatusError)) throw error;
    if (error.precondition === '{DAV:}valid-sync-token') throw tokenExpired();
    // Servers reject a token in different ways, even with 500. If a read without it works, the token was the reason.
    const again = error.status >= 500 ? await orIfRejected(run(calendar, token), null) : null;
    if (again !== null) return again;
    const withoutToken = await initialSync(calendar);
    // The calendar itself may be gone; a full read would fail as well.
    if (withoutToken === null && error.status === 404) throw error;
    if (withoutToken !== null || error.status < 500) throw tokenExpired();
    throw error;
  }
}

async function run(calendar: DavCalendarHandle, since: string, withBodies = false): Promise<CollectionChanges> {
  const { collection } = calendar;
  const changed = new Map<string, ListedResource>();
  const removed = new Set<string>();
  const pace = new Pace();
  let token = since;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const reported = await report(calendar, token, withBodies);
    for (const response of reported.responses) {
      await pace.step();
      const id = response.path === null ? null : eventIdOfPath(collection, response.path);
      if (id === null || (response.status !== 404 && response.status !== 410)) continue;
      removed.add(id);
      changed.delete(id);
    }
    for (const resource of await toListed(collection, reported.responses)) {
      changed.set(resource.id, resource);
      removed.delete(resource.id);
    }
    // A server without a token in its response does not really support this report.
    if (!reported.syncToken) throw new DavStatusError('REPORT', 501, null);
    const advanced = reported.syncToken !== token;
    token = reported.syncToken;
    if (!reported.truncated || !advanced || changed.size + removed.size > MAX_CHANGES) break;
  }
  return {
    changed: await sortedById([...changed.values()], pace),
    removed: await sortedBy([...removed], (id) => id, pace),
    token,
  };
}

async function report(
  { connection, collection }: DavCalendarHandle,
  token: string,
  withBodies: boolean,
): Promise<Multistatus> {
  const build: ReportBuilder = (to) =>
    syncCollection({
      ...to,
      syncToken: xmlText(token),
      syncLevel: 1,
      props: withBodies ? OBJECT_PROPERTIES : LISTED_PROPERTIES,
    });
  try {
    return await connection.client.report(collection.href, '0', build);
  } catch (error) {
    // RFC 6578 §3.2 requires depth 0; some servers know only the depth 1 of its drafts.
    if (error instanceof DavStatusError && error.status === 400 && error.precondition === null) {
      return connection.client.report(collection.href, '1', build);
    }
    throw error;
  }
}

/** Returns the collection's change tag; null without a reliable one. */
export async function changeTag({ connection, collection }: DavCalendarHandle): Promise<string | null> {
  const { responses } = await connection.client.propfind(collection.href, '0', [CHANGE_TAG]);
  return reliableTag(responses[0]?.properties.get(CHANGE_TAG)?.text.trim() || null);
}
