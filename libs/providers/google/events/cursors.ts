import { DomainError, type JsonValue } from '#domain';

// Cursors come out of sealed tokens of our own; their shape changes only with a release. A token that an older release
// sealed is refused, not misread.

/** From where changes of a whole calendar are told. */
export interface TokenBasis {
  kind: 'token';
  /** Google's own. */
  token: string;
  /** Snapshot of the changed instances that were given out, when there are any. */
  memory: string | null;
}

/** From where changes of any other read are told. */
export interface SnapshotBasis {
  kind: 'snapshot';
  id: string;
}

/** Where a page of a whole calendar goes on. */
export interface WholePage {
  kind: 'whole';
  /** Google's own; null for the first page. */
  pageToken: string | null;
  /** Of Google's pages: all of them have to be asked for with the same. */
  size: number;
  /** Id of the last event of that page that was given out; null when none was. */
  after: string | null;
  basis: TokenBasis;
}

/** Where a page goes on that is ordered by keys of ours: behind the last one given out. */
export interface KeyedPage<Basis extends TokenBasis | SnapshotBasis> {
  kind: 'keyed';
  after: string;
  /** What the sync token at the end will stand for. */
  basis: Basis;
}

export function readTokenBasis(value: JsonValue | undefined): TokenBasis {
  const { kind, token, memory } = recordOf(value);
  if (kind !== 'token' || typeof token !== 'string' || !isTextOrNull(memory)) throw foreign();
  return { kind, token, memory };
}

export function readSnapshotBasis(value: JsonValue | undefined): SnapshotBasis {
  const { kind, id } = recordOf(value);
  if (kind !== 'snapshot' || typeof id !== 'string') throw foreign();
  return { kind, id };
}

export function readWholePage(value: JsonValue): WholePage {
  const { kind, pageToken, size, after, basis } = recordOf(value);
  if (kind !== 'whole' || !isTextOrNull(pageToken) || !isTextOrNull(after) || typeof size !== 'number') throw foreign();
  return { kind, pageToken, size, after, basis: readTokenBasis(basis) };
}

export function readKeyedPage<Basis extends TokenBasis | SnapshotBasis>(
  value: JsonValue,
  readBasis: (value: JsonValue | undefined) => Basis,
): KeyedPage<Basis> {
  const { kind, after, basis } = recordOf(value);
  if (kind !== 'keyed' || typeof after !== 'string') throw foreign();
  return { kind, after, basis: readBasis(basis) };
}

/** Of which kind the read is that a cursor or basis belongs to. */
export function isOfSnapshot(value: JsonValue): boolean {
  const { kind, basis } = recordOf(value);
  return kind === 'snapshot' || (kind === 'keyed' && recordOf(basis)['kind'] === 'snapshot');
}

function foreign(): DomainError {
  return new DomainError('PageTokenInvalid', 'The token is not one that this service can go on from.');
}

export function tokenExpired(): DomainError {
  return new DomainError('SyncTokenExpired', 'The sync token is no longer valid. Start again with a full read.');
}

function isTextOrNull(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === 'string';
}

function recordOf(value: JsonValue | undefined): { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
