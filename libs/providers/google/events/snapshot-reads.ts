import type { EventItem, JsonValue, ListEvents, Page, SyncSnapshotStore } from '#domain';
import { ComparedReads, type ComparedView } from '#providers/kit/sync';
import type { EventView } from './event-views.js';
import { snapshotScope } from './open-calendar.js';

/** Reads that Google's own sync token knows nothing of: windows, filters, expanded series. */
export class SnapshotReads {
  private readonly reads: ComparedReads;

  constructor(snapshots: SyncSnapshotStore) {
    this.reads = new ComparedReads(snapshots);
  }

  /** @throws DomainError ValidationFailed, PageTokenInvalid */
  async page(view: EventView, list: Pick<ListEvents, 'pageSize' | 'page'>): Promise<Page<EventItem>> {
    return this.reads.page(compared(view), list);
  }

  /** @throws DomainError SyncTokenExpired, ValidationFailed, PageTokenInvalid */
  async changes(
    view: EventView,
    list: Pick<ListEvents, 'pageSize' | 'page'> & { sync: JsonValue },
  ): Promise<Page<EventItem>> {
    return this.reads.changes(compared(view), list);
  }
}

function compared(view: EventView): ComparedView {
  return { scope: snapshotScope(view.calendar), items: (extent) => view.items(extent) };
}
