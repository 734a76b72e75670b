import type { EventRecord } from './model.js';

const NONE: ReadonlySet<string> = new Set();

/** Events of one calendar, with deleted ones: their ids stay taken, and syncs report them. */
export interface EventShelf {
  /** In order of creation. */
  readonly byId: Map<string, EventRecord>;
  readonly idsByUid: Map<string, Set<string>>;
  /** Ids of stored instances by the id of their series. */
  readonly exceptionIds: Map<string, Set<string>>;
}

export function emptyShelf(): EventShelf {
  return { byId: new Map(), idsByUid: new Map(), exceptionIds: new Map() };
}

export function exceptionsOf(shelf: EventShelf, masterId: string): EventRecord[] {
  return recordsOf(shelf, shelf.exceptionIds.get(masterId));
}

export function eventsWithUid(shelf: EventShelf, iCalUID: string): EventRecord[] {
  return recordsOf(shelf, shelf.idsByUid.get(iCalUID));
}

export function putOnShelf({ byId, idsByUid, exceptionIds }: EventShelf, record: EventRecord): void {
  byId.set(record.id, record);
  add(idsByUid, record.iCalUID, record.id);
  if (record.recurringEventId !== null) add(exceptionIds, record.recurringEventId, record.id);
}

/** Removes a deleted instance that its series generates again. */
export function clearShelf({ byId, idsByUid, exceptionIds }: EventShelf, record: EventRecord): void {
  byId.delete(record.id);
  idsByUid.get(record.iCalUID)?.delete(record.id);
  if (record.recurringEventId !== null) exceptionIds.get(record.recurringEventId)?.delete(record.id);
}

function recordsOf({ byId }: EventShelf, ids: ReadonlySet<string> = NONE): EventRecord[] {
  return [...ids].map((id) => byId.get(id)).filter((record) => record !== undefined);
}

function add(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key);
  if (ids === undefined) index.set(key, new Set([id]));
  else ids.add(id);
}
