import { invalid, type JsonValue, type WebhookPage } from '#domain';
import type { SealedTokens } from '../tokens/sealed-tokens.js';

export interface PageRequest {
  /** 1 to 200, larger is clamped; 50 when it is absent. */
  limit?: number;
  pageToken?: string;
}

export interface PageOf<T> {
  data: T[];
  /** null on the last page. */
  nextPageToken: string | null;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** @throws DomainError ValidationFailed */
export function pageSizeOf(limit = DEFAULT_LIMIT): number {
  if (!Number.isInteger(limit) || limit < 1) throw invalid('limit', `must be a whole number from 1 to ${MAX_LIMIT}`);
  return Math.min(limit, MAX_LIMIT);
}

/**
 * A page of rows that are in the order of their ids. The token says where it ended, and opens under the same binding only.
 * @param read the rows after an id; one more than fits on the page tells whether there is a next one
 * @throws DomainError ValidationFailed, PageTokenInvalid
 */
export async function readPage<T extends { id: string }, V>(
  tokens: SealedTokens,
  binding: readonly string[],
  { limit, pageToken }: PageRequest,
  read: (page: WebhookPage) => Promise<T[]>,
  toView: (row: T) => V,
): Promise<PageOf<V>> {
  const size = pageSizeOf(limit);
  const after = pageToken === undefined ? null : lastId(tokens.open(binding, pageToken));
  const rows = await read({ limit: size + 1, after });
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return {
    data: page.map(toView),
    nextPageToken: rows.length > size && last !== undefined ? tokens.seal(binding, { after: last.id }) : null,
  };
}

function lastId(content: JsonValue): string {
  return (content as { after: string }).after;
}
