import pg from 'pg';

export type UnavailableReason =
  /** No connection could be made, or none became free in time. */
  | 'noConnection'
  /** The connection broke while a statement ran: whether it took effect is unknown. */
  | 'connectionLost'
  /** The server itself ended a statement that took too long, or waited too long for a lock. */
  | 'timeout'
  /** The server said nothing at all in time: whether the statement took effect is unknown. */
  | 'unanswered'
  /** The server takes no writes (any more): a failover is under way. The statement had no effect. */
  | 'readOnly'
  /** The schema was changed under a statement that the connection had prepared. It had no effect. */
  | 'staleStatement'
  /** The server cannot do it now: out of space or of memory, deadlock. */
  | 'refused';

/** The service's own database is away or overloaded. Becomes 503 with `Retry-After`. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** Seconds a caller should wait. */
  readonly retryAfterSeconds = 2;

  constructor(
    readonly reason: UnavailableReason,
    cause?: unknown,
  ) {
    super(`The database is not available (${reason})`, cause === undefined ? undefined : { cause });
  }
}

/**
 * A statement failed within a transaction, and whoever ran it went on as if it had not: nothing of the transaction holds.
 * The cause is what the server said of that statement.
 */
export class TransactionRolledBack extends Error {
  override readonly name = 'TransactionRolledBack';

  constructor(cause: unknown) {
    super('The transaction was rolled back: a statement in it had failed', { cause });
  }
}

/**
 * SQLSTATE classes (PostgreSQL manual, appendix A) that say "not now" rather than "not like this":
 * 08 connection exception, 40 transaction rollback, 53 insufficient resources, 57 operator intervention,
 * 58 system error.
 */
const NOT_NOW_CLASSES = new Set(['08', '40', '53', '57', '58']);
/** Server is shutting down, has crashed or is starting up: it closes the connection with these. */
const LOST_CODES = new Set(['57P01', '57P02', '57P03', '08006', '08003']);
const QUERY_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';
/** A write met a standby, or a primary that was put aside. */
const READ_ONLY = '25006';
/** "cached plan must not change result type" is known by the routine that says so: its SQLSTATE is that of many others. */
const STALE_STATEMENT = { code: '0A000', routine: 'RevalidateCachedQuery' };
const IDLE_IN_TRANSACTION_TIMEOUT = '25P03';

/** What a failed statement was, when that was the database's availability; null when it was the statement itself. */
export function unavailability(error: unknown): DatabaseUnavailable | null {
  if (error instanceof DatabaseUnavailable) return error;
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    if (LOST_CODES.has(code) || code === IDLE_IN_TRANSACTION_TIMEOUT) {
      return new DatabaseUnavailable('connectionLost', error);
    }
    if (code === QUERY_CANCELED || code === LOCK_NOT_AVAILABLE) return new DatabaseUnavailable('timeout', error);
    if (isStale(error)) return new DatabaseUnavailable('staleStatement', error);
    if (code === READ_ONLY) return new DatabaseUnavailable('readOnly', error);
    if (NOT_NOW_CLASSES.has(code.slice(0, 2))) return new DatabaseUnavailable('refused', error);
    return null;
  }
  // The driver reports a broken connection as a plain Error, with or without a system error code; what it throws for
  // values that it cannot send is a TypeError or RangeError.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return null;
  return new DatabaseUnavailable('connectionLost', error);
}

function isStale({ code, routine }: pg.DatabaseError): boolean {
  return code === STALE_STATEMENT.code && routine === STALE_STATEMENT.routine;
}

/** Whether a connection may go back into the pool after this error. */
export function isConnectionUsable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.severity === 'FATAL') return false;
  return error.code !== READ_ONLY && !isStale(error) && !LOST_CODES.has(error.code ?? '');
}

/** Nothing more is to be had from the connection; another one may do. */
export function isLost(error: unknown): boolean {
  return hadNoEffect(error) || (error instanceof DatabaseUnavailable && error.reason === 'connectionLost');
}

/** Of a single statement: it can be sent again, on another connection, whatever it does. */
export function hadNoEffect(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && (error.reason === 'readOnly' || error.reason === 'staleStatement');
}

/** Of an attempt to connect: a server was there, and ended it. One that is starting up or does not answer is another matter. */
export function isEndedConnection(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === '57P01' || error.code === '57P02';
  if (!(error instanceof Error)) return false;
  return error.message === 'Connection terminated unexpectedly' || ('code' in error && error.code === 'ECONNRESET');
}

/** What one connection met, the others of its age will meet. */
export function concernsOthers(error: unknown): boolean {
  return isLost(error) || (error instanceof DatabaseUnavailable && error.reason === 'unanswered');
}

/** Sends it a second time, at once, when the first time failed in that way. */
export async function onceMore<T>(when: (error: unknown) => boolean, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!when(error)) throw error;
    return send();
  }
}

/** A row that is referred to is not there (any more). */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503';
}

/** There is a row already that this one would equal where it must not. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}
