import type { EventRecord } from './model.js';

const NONE: ReadonlySet<string> = new Set();

/** The events of one calendar, deleted ones included: their ids stay taken and syncs tell of them. */
export class EventShelf {
  private readonly byId = new Map<string, EventRecord>();
  private readonly idsByUid = new Map<string, Set<string>>();
  private readonly exceptionIds = new Map<string, Set<string>>();

  get(id: string): EventRecord | undefined {
    return this.byId.get(id);
  }

  /** In the order in which they were created. */
  all(): Iterable<EventRecord> {
    return this.byId.values();
  }

  /** The stored instances of a series. */
  exceptionsOf(masterId: string): EventRecord[] {
    return this.recordsOf(this.exceptionIds.get(masterId) ?? NONE);
  }

  withUid(iCalUID: string): EventRecord[] {
    return this.recordsOf(this.idsByUid.get(iCalUID) ?? NONE);
  }

  put(record: EventRecord): void {
    this.byId.set(record.id, record);
    add(this.idsByUid, record.iCalUID, record.id);
    if (record.recurringEventId !== null) add(this.exceptionIds, record.recurringEventId, record.id);
  }

  /** Forgets a deleted instance whose place in the series exists again. */
  forget(record: EventRecord): void {
    this.byId.delete(record.id);
    this.idsByUid.get(record.iCalUID)?.delete(record.id);
    if (record.recurringEventId !== null) this.exceptionIds.get(record.recurringEventId)?.delete(record.id);
  }

  private recordsOf(ids: ReadonlySet<string>): EventRecord[] {
    return [...ids].map((id) => this.byId.get(id)).filter((record) => record !== undefined);
  }
}

function add(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key);
  if (ids === undefined) index.set(key, new Set([id]));
  else ids.add(id);
}
