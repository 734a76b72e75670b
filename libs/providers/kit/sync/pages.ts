import { invalid, type BoundedWindow, type DomainError } from '#domain';
import { badAnswer, ProviderRefusal } from '../calls/index.js';

/** A read that has to see everything first sees so much, and no more. */
export const MAX_WALK = 25_000;
/** Pages may be short, even empty; that must not go on for ever. */
const MAX_WALK_PAGES = 40;
/** How often a read is begun before a link that leads nowhere counts as nonsense. */
const MAX_WALKS = 2;

/** One page of a list as a provider gave it. */
export interface ListPage<Row> {
  rows: Row[];
  /** Where the next page is; null on the last one. */
  next: string | null;
  /** Where changes are told from, on the last page. */
  delta: string | null;
}

/**
 * Reads to the end. Should the provider forget a link between its pages meanwhile, the read begins anew.
 * @param provider as it is called in messages
 * @param fetch reads the page behind a link; null: the first one, and what that throws is passed on
 * @throws DomainError ValidationFailed when there is more than can be looked at in one read, ProviderUnavailable
 */
export async function walkPages<Row>(
  provider: string,
  fetch: (next: string | null) => Promise<ListPage<Row>>,
): Promise<Pick<ListPage<Row>, 'rows' | 'delta'>> {
  for (let walks = 1; walks <= MAX_WALKS; walks += 1) {
    const walked = await walkOnce(fetch);
    if (walked !== null) return walked;
  }
  throw badAnswer(provider);
}

/** null when a link was forgotten. */
async function walkOnce<Row>(fetch: (next: string | null) => Promise<ListPage<Row>>) {
  const rows: Row[] = [];
  let page = await fetch(null);
  for (let pages = 1; ; pages += 1) {
    rows.push(...page.rows);
    if (page.next === null) return { rows, delta: page.delta };
    if (rows.length >= MAX_WALK || pages >= MAX_WALK_PAGES) throw tooMuch();
    try {
      page = await fetch(page.next);
    } catch (error) {
      // Behind the first page the link is the only part of the query that can be wrong.
      if (error instanceof ProviderRefusal && (error.status === 400 || error.status === 410)) return null;
      throw error;
    }
  }
}

/** A window in pieces of at most a length. */
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
