import type { BoundedWindow } from '#domain/events';
import { invalid, type DomainError } from '#domain/system';
import { isResponseTooLarge, malformedResponseError, ProviderResponseError } from '../calls/index.js';

/** Maximum items of a read that needs all of them before the first page. */
export const MAX_WALK = 25_000;
/** Bounds a walk over short or empty pages. */
const MAX_WALK_PAGES = 40;
/** Attempts before an invalid link between pages counts as a bad answer. */
const MAX_WALKS = 2;

/** What a page is divided by when it is too large. */
const SMALLER = 5;
/** Characters that a read may hold once an answer was too large. */
const MAX_TEXT = 64 * 1024 * 1024;

/**
 * The size of the pages that are asked for. After an answer that is too large it is smaller: a few large events, which
 * may be invitations of strangers, must not cost the user the whole list.
 */
export class PageSize {
  private size: number;

  constructor(private readonly maximum: number) {
    this.size = maximum;
  }

  /** @throws errors of `ask`; that of an answer which is too large with a single item */
  async fitting<T>(ask: (size: number) => Promise<T>): Promise<T> {
    for (;;) {
      const { size } = this;
      try {
        return await ask(size);
      } catch (error) {
        if (size === 1 || !isResponseTooLarge(error)) throw error;
        this.size = Math.min(this.size, Math.ceil(size / SMALLER));
      }
    }
  }

  /** {@link walkPages} in pages that fit. @throws DomainError ValidationFailed when they are too large together */
  walk<Row>(provider: string, fetch: (next: string | null, size: number) => Promise<ListPage<Row>>) {
    return this.fitting((size) => {
      let length = 0;
      const fetchPage = async (next: string | null) => {
        const page = await fetch(next, size);
        length += this.lengthOf(page.rows);
        if (length > MAX_TEXT) throw tooMuch();
        return page;
      };
      return walkPages(provider, fetchPage, Math.max(MAX_WALK_PAGES, Math.ceil(MAX_WALK / size)));
    });
  }

  /** Returns the characters of all texts in the rows. 0 as long as no answer was too large: there are few then. */
  lengthOf(rows: readonly unknown[]): number {
    return this.size === this.maximum ? 0 : lengthOfTexts(rows);
  }
}

/** Takes no stack: a hostile answer may be nested deeply. */
function lengthOfTexts(value: unknown): number {
  const left = [value];
  let length = 0;
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') length += next.length;
    else if (typeof next === 'object' && next !== null) for (const part of Object.values(next)) left.push(part);
  }
  return length;
}

export interface ListPage<Row> {
  rows: Row[];
  next: string | null;
  /** Link or token for the changes after this read; on the last page only. */
  delta: string | null;
}

/**
 * Reads all pages. Starts again when the provider rejects a link between them.
 * @param fetch reads the page behind a link, or the first one for null
 * @throws DomainError ValidationFailed when the list is too long, ProviderUnavailable; errors of the first page
 */
async function walkPages<Row>(
  provider: string,
  fetch: (next: string | null) => Promise<ListPage<Row>>,
  maxPages: number,
): Promise<Pick<ListPage<Row>, 'rows' | 'delta'>> {
  for (let walks = 1; walks <= MAX_WALKS; walks += 1) {
    const walked = await walkOnce(fetch, maxPages);
    if (walked !== null) return walked;
  }
  throw malformedResponseError(provider);
}

/** @returns null when the provider rejects a link */
async function walkOnce<Row>(fetch: (next: string | null) => Promise<ListPage<Row>>, maxPages: number) {
  const rows: Row[] = [];
  let page = await fetch(null);
  for (let pages = 1; ; pages += 1) {
    rows.push(...page.rows);
    if (page.next === null) return { rows, delta: page.delta };
    if (rows.length >= MAX_WALK || pages >= maxPages) throw tooMuch();
    try {
      page = await fetch(page.next);
    } catch (error) {
      // After the first page only the link can be wrong.
      if (error instanceof ProviderResponseError && (error.status === 400 || error.status === 410)) return null;
      throw error;
    }
  }
}

export function piecesOf({ startMs, endMs }: BoundedWindow, lengthMs: number): BoundedWindow[] {
  const pieces: BoundedWindow[] = [];
  for (let from = startMs; from < endMs; from += lengthMs) {
    pieces.push({ startMs: from, endMs: Math.min(endMs, from + lengthMs) });
  }
  return pieces;
}

export function tooMuch(): DomainError {
  return invalid('endDateTime', 'the range holds too many events; ask for a shorter one');
}
