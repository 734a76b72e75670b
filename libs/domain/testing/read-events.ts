import type { EventItem } from '#domain/events';
import type { EventQuery, ListEvents, Page } from '#domain/providers';
import type { JsonValue } from '#domain/system';

/** A list, page by page to its end; `pages`: how many items each page had. */
export async function readEvents(
  listEvents: (list: ListEvents) => Promise<Page<EventItem>>,
  { query, pageSize, sync }: { query: EventQuery; pageSize: number; sync: JsonValue | null },
): Promise<{ items: EventItem[]; pages: number[]; nextSync: JsonValue | null }> {
  const items: EventItem[] = [];
  const pages: number[] = [];
  for (let page: JsonValue | null = null; ;) {
    const response = await listEvents({ query, pageSize, page, sync });
    items.push(...response.items);
    pages.push(response.items.length);
    if (response.nextPage === null) return { items, pages, nextSync: response.nextSync };
    page = response.nextPage;
  }
}
