import type { EventQuery } from '#domain';

/** A read without window, filter or order. */
export const EVERYTHING: EventQuery = {
  window: { startMs: null, endMs: null },
  expandRecurrences: false,
  search: null,
  metadataFilters: null,
  orderBy: null,
  updatedAfterMs: null,
  isAllDay: null,
  isCancelled: null,
  iCalUid: null,
};
