import { isRemoved, type CalendarEvent, type RemovedEvent } from './events.js';
import type { Sync } from './sync.js';

type Awaitable<T> = T | Promise<T>;

/** An application's copy of the events of one calendar. All methods may be repeated with the same arguments. */
export interface EventStore {
  /** Token of the last sync that ended; null or undefined: none has. */
  syncToken(): Awaitable<string | null | undefined>;
  /** Adds or replaces an event. */
  upsert(event: CalendarEvent): Awaitable<void>;
  /** Removes an event, or does nothing when there is none with this id. */
  delete(eventId: string): Awaitable<void>;
  /** Ids of all events of the copy: asked for when everything was read, to delete what was not there any more. */
  ids(): Awaitable<Iterable<string>>;
  /** Called at the end, when the copy holds all changes. null: the provider gives none, the next sync reads everything. */
  saveSyncToken(syncToken: string | null): Awaitable<void>;
}

/** What a sync did to the copy. */
export interface SyncedInto {
  upserted: number;
  deleted: number;
  /** Whether everything was read: the first time, or because the token was too old. */
  isFull: boolean;
}

/** Applies a sync that begins at `syncToken` to a copy. An error leaves the old token, so the next sync repeats. */
export async function applySync(
  changes: Sync<CalendarEvent | RemovedEvent>,
  store: EventStore,
  syncToken: string | undefined,
): Promise<SyncedInto> {
  const done: SyncedInto = { upserted: 0, deleted: 0, isFull: false };
  const seen = new Set<string>();
  const seenAfterRestart = new Set<string>();
  const remove = async (eventId: string) => {
    await store.delete(eventId);
    done.deleted += 1;
  };
  for await (const change of changes) {
    if (isRemoved(change) || change.isCancelled) {
      await remove(change.id);
      continue;
    }
    (changes.hasStartedOver ? seenAfterRestart : seen).add(change.id);
    await store.upsert(change);
    done.upserted += 1;
  }
  done.isFull = syncToken === undefined || changes.hasStartedOver;
  const current = changes.hasStartedOver ? seenAfterRestart : seen;
  if (done.isFull) for (const eventId of [...(await store.ids())]) if (!current.has(eventId)) await remove(eventId);
  await store.saveSyncToken(changes.nextSyncToken);
  return done;
}
