import { DomainError } from '#domain/system';
import { eventNotFound } from '#providers/kit/series';
import type { CalDavAccountClient, DavCalendarHandle } from '../account-client.js';
import type { DavHttpResponse } from '../dav/contract.js';
import { DavStatusError, isDone, orIfRejected } from '../dav/dav-errors.js';
import { xmlText } from '../dav/built-request.js';
import { eventIdOfPath, hrefOfEventId } from '../ids.js';
import { listEvents, type ListedResource } from './resources.js';
import type { WrittenObjects } from './written-objects.js';

/** Preconditions for a UID that the account already has (RFC 4791 §5.3.2.1, RFC 6638 §3.2.4.1). */
const UID_TAKEN: ReadonlySet<string> = new Set([
  '{urn:ietf:params:xml:ns:caldav}no-uid-conflict',
  '{urn:ietf:params:xml:ns:caldav}unique-scheduling-object-resource',
]);

export interface ReadResource extends ListedResource {
  /** As sent (RFC 6638 §3.2.10); null when the server sends none. */
  scheduleTag: string | null;
  body: Buffer;
}

/** @throws DomainError NotFound */
export async function readResource(calendar: DavCalendarHandle, id: string): Promise<ReadResource> {
  const found = await findResource(calendar, id);
  if (found === null) throw eventNotFound();
  return found;
}

export async function findResource(
  { connection, collection }: DavCalendarHandle,
  id: string,
): Promise<ReadResource | null> {
  const href = hrefOfEventId(collection, id);
  if (href === null) return null;
  const response = await connection.client.get(href);
  if (response.status === 404 || response.status === 410) return null;
  if (response.status !== 200) throw DavStatusError.of('GET', response);
  return {
    id,
    href,
    etag: response.etag ?? (await currentEtag(connection, href)),
    scheduleTag: response.scheduleTag,
    body: response.body,
  };
}

/**
 * Stores a new object. A UID is random or belongs to one request, so an existing object comes from an earlier try of
 * this request.
 */
export async function createResource(
  calendar: DavCalendarHandle,
  uid: string,
  body: Buffer,
  writes: WrittenObjects,
): Promise<{ resource: ReadResource; isNew: boolean }> {
  const href = `${calendar.collection.href}${uid}.ics`;
  const response = await calendar.connection.client.put(href, body, { ifNoneMatch: '*' });
  const isThere = response.status === 412 || UID_TAKEN.has(response.precondition ?? '');
  if (!isThere && !isDone(response)) throw DavStatusError.of('PUT', response);
  const id = eventIdOfPath(calendar.collection, calendar.connection.client.pathOf(href) ?? '');
  const find = async () => (await readCreated(calendar, href, response)) ?? (await findByUid(calendar, uid));
  const stored =
    id === null || isThere ? await find() : await writes.stored(calendar, { id, href, body, response }, find);
  if (stored !== null) return { resource: stored, isNew: !isThere };
  // iCloud and Cyrus allow a UID once per user; the object is in another calendar or in the trash.
  if (isThere) throw new DomainError('Conflict', 'The account already has an event with this iCalUid.');
  throw new DomainError('ProviderUnavailable', 'The calendar server accepted the event but does not show it.');
}

/** Tries the location that the server returned, then the requested one. */
async function readCreated(
  calendar: DavCalendarHandle,
  href: string,
  { location }: DavHttpResponse,
): Promise<ReadResource | null> {
  for (const candidate of new Set([location ?? href, href])) {
    const path = calendar.connection.client.pathOf(candidate);
    const id = path === null ? null : eventIdOfPath(calendar.collection, path);
    if (id === null) continue;
    const read = await findResource(calendar, id);
    if (read !== null) return read;
  }
  return null;
}

/** Some servers choose another name without reporting it, so this searches by UID, with a query or in a new listing. */
async function findByUid(calendar: DavCalendarHandle, uid: string): Promise<ReadResource | null> {
  const isUid = { 'text-match': { _attributes: { collation: 'i;octet' }, _text: xmlText(uid) } };
  const filter = { 'prop-filter': { _attributes: { name: 'UID' }, ...isUid } };
  let candidates = await orIfRejected(listEvents(calendar, filter), []);
  if (candidates.length === 0 || candidates.length > 5) candidates = await listEvents(calendar, {});
  // Searching a larger calendar would cost too many requests.
  if (candidates.length > 200) return null;
  for (const { id } of candidates) {
    const resource = await findResource(calendar, id);
    if (resource?.body.includes(uid) === true) return resource;
  }
  return null;
}

export async function currentEtag({ client }: CalDavAccountClient, href: string): Promise<string | null> {
  const { responses } = await client.propfind(href, '0', ['{DAV:}getetag']);
  return responses[0]?.properties.get('{DAV:}getetag')?.text.trim() || null;
}
