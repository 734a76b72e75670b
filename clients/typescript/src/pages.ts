/** A page of a list. */
export interface Page<Item> {
  data: Item[];
  nextPageToken?: string | null;
}

/** Reads page after page. A page may be short, or empty: only the missing token ends the list. */
export async function* pagesOf<APage extends Page<unknown>>(
  read: (pageToken: string | undefined) => Promise<APage>,
): AsyncGenerator<APage, void, undefined> {
  let pageToken: string | undefined;
  do {
    const page = await read(pageToken);
    yield page;
    pageToken = page.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
}

export async function* itemsOf<Item>(pages: AsyncIterable<Page<Item>>): AsyncGenerator<Item, void, undefined> {
  for await (const { data } of pages) yield* data;
}
