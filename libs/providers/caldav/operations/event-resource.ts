import { DomainError } from '#domain';
import { eventNotFound } from '#providers/kit/series';
import type { CalDavConnection } from '../connection.js';
import type { DavAnswer } from '../dav/contract.js';
import { DavStatusError } from '../dav/dav-errors.js';
import { xmlText } from '../dav/built-request.js';
import { eventIdOfPath, hrefOfEventId } from '../ids.js';
import type { OpenCalendar } from './event-source.js';
import { listEvents, listResources } from './resources.js';

/** Preconditions that say that the account already holds an object with this UID (RFC 4791 §5.3.2.1, RFC 6638 §3.2.4.1). */
const UID_TAKEN: ReadonlySet<string> = new Set([
  '{urn:ietf:params:xml:ns:caldav}no-uid-conflict',
  '{urn:ietf:params:xml:ns:caldav}unique-scheduling-object-resource',
]);

/** One calendar object resource with its bytes. */
export interface ReadResource {
  /** Event id of the resource. */
  id: string;
  href: string;
  /** As sent; null when the server gives none. */
  etag: string | null;
  /** RFC 6638 §3.2.10, as sent; null when the server gives none. */
  scheduleTag: string | null;
  lastModified: string | null;
  body: Buffer;
}

/** @throws DomainError NotFound */
export async function readResource({ connection, collection }: OpenCalendar, id: string): Promise<ReadResource> {
  const href = hrefOfEventId(collection, id);
  if (href === null) throw eventNotFound();
  const answer = await connection.client.get(href);
  if (answer.status === 404 || answer.status === 410) throw eventNotFound();
  if (answer.status !== 200) throw new DavStatusError('GET', answer.status, answer.precondition);
  return {
    id,
    href,
    etag: answer.etag ?? (await currentEtag(connection, href)),
    scheduleTag: answer.scheduleTag,
    lastModified: null,
    body: answer.body,
  };
}

/**
 * Stores a new object and reads back what the server made of it, under whatever name it chose. UIDs are random, or stand
 * for one request: an object that is there already is the work of an earlier try.
 * @throws DavStatusError for refusals
 */
export async function createResource(calendar: OpenCalendar, uid: string, body: Buffer): Promise<ReadResource> {
  const href = `${calendar.collection.href}${uid}.ics`;
  const answer = await calendar.connection.client.put(href, body, { ifNoneMatch: '*' });
  const isThere = answer.status === 412 || UID_TAKEN.has(answer.precondition ?? '');
  if (!isThere && ![200, 201, 204].includes(answer.status)) {
    throw new DavStatusError('PUT', answer.status, answer.precondition);
  }
  const stored = (await readCreated(calendar, href, answer)) ?? (await findByUid(calendar, uid));
  if (stored !== null) return stored;
  if (!isThere) throw lost();
  // It is in another calendar of the account, or in the trash: iCloud and Cyrus know a UID once per user.
  throw new DomainError('Conflict', 'The account already has an event with this iCalUid.');
}

/** Where the server says it is, else where it was put. */
async function readCreated(
  calendar: OpenCalendar,
  href: string,
  { location }: DavAnswer,
): Promise<ReadResource | null> {
  for (const candidate of new Set([location ?? href, href])) {
    const path = calendar.connection.client.pathOf(candidate);
    const id = path === null ? null : eventIdOfPath(calendar.collection, path);
    if (id === null) continue;
    const read = await readResource(calendar, id).catch((error: unknown) => {
      if (error instanceof DomainError && error.code === 'NotFound') return null;
      throw error;
    });
    if (read !== null) return read;
  }
  return null;
}

/** Some servers store under a name of their own and do not tell: the UID finds it, by query or by a fresh listing. */
async function findByUid(calendar: OpenCalendar, uid: string): Promise<ReadResource | null> {
  const { connection, collection } = calendar;
  const isUid = { 'text-match': { _attributes: { collation: 'i;octet' }, _text: xmlText(uid) } };
  const byQuery = await listEvents(connection, collection, {
    'prop-filter': { _attributes: { name: 'UID' }, ...isUid },
  }).catch((error: unknown) => {
    if (error instanceof DavStatusError) return [];
    throw error;
  });
  const candidates = byQuery.length > 0 && byQuery.length <= 5 ? byQuery : await fewResources(calendar);
  for (const { id } of candidates) {
    const resource = await readResource(calendar, id);
    if (resource.body.includes(uid)) return resource;
  }
  return null;
}

/** Everything in the calendar; nothing of one that is too large to be looked through. */
async function fewResources({ connection, collection }: OpenCalendar): Promise<{ id: string }[]> {
  const listing = await listResources(connection, collection, { startMs: null, endMs: null });
  return listing.length <= 200 ? listing : [];
}

/** As listed; null when the server lists none. */
export async function currentEtag({ client }: CalDavConnection, href: string): Promise<string | null> {
  const { responses } = await client.propfind(href, '0', ['{DAV:}getetag']);
  return responses[0]?.properties.get('{DAV:}getetag')?.text.trim() || null;
}

function lost(): DomainError {
  return new DomainError('ProviderUnavailable', 'The calendar server accepted the event but does not show it.');
}
