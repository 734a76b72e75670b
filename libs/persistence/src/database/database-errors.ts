import pg from 'pg';
import { noSuchApplication } from '#domain/system';

export type UnavailableReason =
  /** No connection could be opened, or none became free in time. */
  | 'noConnection'
  /** The connection broke during a statement, whose effect is unknown. */
  | 'connectionLost'
  /** The server ended a statement that exceeded its time limit or the limit for locks. */
  | 'timeout'
  /** The server sent no response in time. The effect of the statement is unknown. */
  | 'unanswered'
  /** The server accepts no writes: a failover is in progress. The statement had no effect. */
  | 'readOnly'
  /** The schema changed under a prepared statement, which had no effect. */
  | 'staleStatement'
  /** The server ended the statement for the sake of others that waited for its locks. It had no effect. */
  | 'deadlock'
  /** The server temporarily cannot run the statement: out of disk or memory. */
  | 'refused';

/** Our own database is down or overloaded. Becomes 503 with `Retry-After`. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  readonly retryAfterSeconds = 2;

  constructor(
    readonly reason: UnavailableReason,
    cause?: unknown,
  ) {
    super(`The database is not available (${reason})`, cause === undefined ? undefined : { cause });
  }
}

/** A statement of a transaction failed and the caller ignored it, so `commit` rolled back. `cause` is that failure. */
export class TransactionRolledBack extends Error {
  override readonly name = 'TransactionRolledBack';

  constructor(cause: unknown) {
    super('The transaction was rolled back: a statement in it had failed', { cause });
  }
}

/** Classes of transient errors (PostgreSQL manual, appendix A): connection, rollback, resources, operator, system. */
const NOT_NOW_CLASSES = new Set(['08', '40', '53', '57', '58']);
/** The server is shutting down, crashed or starting up, and closes the connection. */
const LOST_CODES = new Set(['57P01', '57P02', '57P03', '08006', '08003']);
const QUERY_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';
const READ_ONLY = '25006';
/** "cached plan must not change result type": shares its SQLSTATE with other errors, so the routine identifies it. */
const STALE_STATEMENT = { code: '0A000', routine: 'RevalidateCachedQuery' };
const IDLE_IN_TRANSACTION_TIMEOUT = '25P03';

/** Converts an error of the driver. Returns null when the statement itself is at fault. */
export function unavailability(error: unknown): DatabaseUnavailable | null {
  if (error instanceof DatabaseUnavailable) return error;
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    if (LOST_CODES.has(code) || code === IDLE_IN_TRANSACTION_TIMEOUT) {
      return new DatabaseUnavailable('connectionLost', error);
    }
    if (code === QUERY_CANCELED || code === LOCK_NOT_AVAILABLE) return new DatabaseUnavailable('timeout', error);
    if (isStale(error)) return new DatabaseUnavailable('staleStatement', error);
    if (code === DEADLOCK_DETECTED) return new DatabaseUnavailable('deadlock', error);
    if (code === READ_ONLY) return new DatabaseUnavailable('readOnly', error);
    if (NOT_NOW_CLASSES.has(code.slice(0, 2))) return new DatabaseUnavailable('refused', error);
    return null;
  }
  // pg reports a broken connection as a plain Error, and unsupported values as TypeError or RangeError.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return null;
  return new DatabaseUnavailable('connectionLost', error);
}

function isStale({ code, routine }: pg.DatabaseError): boolean {
  return code === STALE_STATEMENT.code && routine === STALE_STATEMENT.routine;
}

export function isConnectionUsable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.severity === 'FATAL') return false;
  return error.code !== READ_ONLY && !isStale(error) && !LOST_CODES.has(error.code ?? '');
}

/** The connection is unusable; another one may work. */
export function isLost(error: unknown): boolean {
  return hasReason(error, 'readOnly', 'staleStatement', 'connectionLost');
}

/** A single statement with this error can be sent again. */
export function hadNoEffect(error: unknown): boolean {
  return hasReason(error, 'readOnly', 'staleStatement', 'deadlock');
}

/** An idempotent statement with this error can be sent again. */
export function isRepeatable(error: unknown): boolean {
  return isLost(error) || hadNoEffect(error);
}

/** A statement could not get a lock: it waited too long, or others waited for its own locks. */
export function isLockConflict(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === DEADLOCK_DETECTED || code === LOCK_NOT_AVAILABLE || isLockConflict(error.cause);
}

/** A server accepted the connection and then ended it, unlike one that is starting up or does not respond. */
export function isEndedConnection(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === '57P01' || error.code === '57P02';
  if (!(error instanceof Error)) return false;
  return error.message === 'Connection terminated unexpectedly' || ('code' in error && error.code === 'ECONNRESET');
}

export function concernsOthers(error: unknown): boolean {
  return isLost(error) || hasReason(error, 'unanswered');
}

function hasReason(error: unknown, ...reasons: UnavailableReason[]): boolean {
  return error instanceof DatabaseUnavailable && reasons.includes(error.reason);
}

export async function onceMore<T>(when: (error: unknown) => boolean, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!when(error)) throw error;
    return send();
  }
}

/** @throws DomainError NotFound when the written row refers to an application that is gone */
export async function foreignKeyAsNotFound<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '23503') throw noSuchApplication();
    throw error;
  }
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}
