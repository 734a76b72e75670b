import type { AccountSession, CalendarProvider, EventItem, EventQuery, JsonValue } from '#domain';

/** A list, page by page to its end; `pages`: how many items each page had. */
export async function readEvents(
  provider: CalendarProvider,
  session: AccountSession,
  calendarId: string,
  { query, pageSize, sync }: { query: EventQuery; pageSize: number; sync: JsonValue | null },
): Promise<{ items: EventItem[]; pages: number[]; nextSync: JsonValue | null }> {
  const items: EventItem[] = [];
  const pages: number[] = [];
  for (let page: JsonValue | null = null; ;) {
    const answer = await provider.listEvents(session, calendarId, { query, pageSize, page, sync });
    items.push(...answer.items);
    pages.push(answer.items.length);
    if (answer.nextPage === null) return { items, pages, nextSync: answer.nextSync };
    page = answer.nextPage;
  }
}
