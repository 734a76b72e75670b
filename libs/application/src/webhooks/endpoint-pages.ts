import { invalid, type JsonValue } from '#domain/system';
import type { WebhookPage } from '#domain/webhooks';
import type { SealedTokens } from '../tokens/sealed-tokens.js';

export interface PageRequest {
  /** 1 to 200, larger values are clamped. Default: 50. */
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

/** `read` returns rows in the order of their ids. @throws DomainError ValidationFailed, PageTokenInvalid */
export function readPage<T extends { id: string }>(
  tokens: SealedTokens,
  binding: readonly string[],
  request: PageRequest,
  read: (page: WebhookPage) => Promise<T[]>,
): Promise<PageOf<T>> {
  return readPageBy(({ id }: T) => id, tokens, binding, request, read);
}

export async function readPageBy<Key extends JsonValue, T>(
  keyOf: (row: T) => Key,
  tokens: SealedTokens,
  binding: readonly string[],
  { limit, pageToken }: PageRequest,
  read: (page: { limit: number; after: Key | null }) => Promise<T[]>,
): Promise<PageOf<T>> {
  const size = pageSizeOf(limit);
  const after = pageToken === undefined ? null : (tokens.open(binding, pageToken) as { after: Key }).after;
  const rows = await read({ limit: size + 1, after });
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return {
    data: page,
    nextPageToken: rows.length > size && last !== undefined ? tokens.seal(binding, { after: keyOf(last) }) : null,
  };
}

export function mapPage<T, V>({ data, nextPageToken }: PageOf<T>, toView: (row: T) => V): PageOf<V> {
  return { data: data.map(toView), nextPageToken };
}
