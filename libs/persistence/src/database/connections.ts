import pg from 'pg';
import { withDeadline } from '#platform/deadline';
import { APPLICATION_ROLE, SYSTEM, type Scope } from './scope.js';
import {
  concernsOthers,
  DatabaseUnavailable,
  isEndedConnection,
  isLost,
  onceMore,
  unavailability,
} from './database-errors.js';
import type { Outcome, Statement } from './database.js';
import { IS_READ_ONLY, PREPARE, SET_SCOPE } from './database.statements.js';
import { SCOPE_SETTING } from '../entities/tenancy.js';

export interface ConnectionOptions {
  databaseUrl: string;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /** Most connections of this process. Default 10. */
  poolSize?: number;
  /** To get a connection, new or from the pool. Default 2000. */
  connectTimeoutMs?: number;
  /** For one statement. Default 5000; a server that does not even answer is given up half a second later. */
  statementTimeoutMs?: number;
  /** For a lock that somebody else holds. Default 2000. */
  lockTimeoutMs?: number;
  /** Told of connections that broke while idle. */
  onConnectionError?: (error: Error) => void;
}

export interface ConnectionUsage {
  used: number;
  idle: number;
  /** Callers that wait for one. */
  waiting: number;
  most: number;
}

const DEFAULTS = { poolSize: 10, connectTimeoutMs: 2_000, statementTimeoutMs: 5_000, lockTimeoutMs: 2_000 };
/** How much later than the server we give up on a statement: it may not be able to tell us any more (frozen). */
const GRACE_MS = 500;

/** Without anybody being served for this long it is not too much work that callers wait for, but the server. */
const STALLED_MS = 1_000;

/** The pool, and what is to be set on a connection before a statement may use it. */
export class Connections {
  private readonly pool: pg.Pool;
  private readonly statementTimeoutMs: number;
  private readonly lockTimeoutMs: number;
  /** The scope that each connection is in; null: it is not known. Absent: the connection is new. */
  private readonly scopes = new WeakMap<pg.PoolClient, string | null>();
  /** Raised whenever a connection turns out to be lost: what takes one of them often takes all, and tells only some. */
  private generation = 0;
  /** Since when, monotonic milliseconds, each caller waits that has no connection yet, the first one first. */
  private readonly waiting = new Set<{ sinceMs: number }>();
  private servedAtMs = -Infinity;
  private readonly generations = new WeakMap<pg.Client, number>();

  constructor(options: ConnectionOptions) {
    this.statementTimeoutMs = options.statementTimeoutMs ?? DEFAULTS.statementTimeoutMs;
    this.lockTimeoutMs = options.lockTimeoutMs ?? DEFAULTS.lockTimeoutMs;
    const begun = (client: pg.Client) => this.generations.set(client, this.generation);
    this.pool = new pg.Pool({
      // What kills the connections that there are kills those, too, that are being made: they are as old as their beginning.
      Client: class extends pg.Client {
        constructor(config?: pg.ClientConfig) {
          super(config);
          begun(this);
        }
      },
      connectionString: options.databaseUrl,
      application_name: options.applicationName ?? 'unified-calendar',
      max: options.poolSize ?? DEFAULTS.poolSize,
      connectionTimeoutMillis: options.connectTimeoutMs ?? DEFAULTS.connectTimeoutMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // What must go ahead of a statement (scope, begin) is sent with it: see `sendIn`.
      pipeline: true,
    });
    const told = (error: Error) => options.onConnectionError?.(error);
    // An 'error' event without a listener would end the process. The pool itself drops the broken connection; while
    // one is in use, the pool leaves its events to the holder, whose statement fails by itself.
    this.pool.on('error', told);
    this.pool.on('connect', (client) => client.on('error', told));
  }

  /** A connection that is ready for {@link sendIn}. Nothing was sent on it: it may be sought twice. @throws DatabaseUnavailable */
  async checkOut(scope: Scope): Promise<pg.PoolClient> {
    return onceMore(isLost, () => this.ready(scope));
  }

  checkIn(client: pg.PoolClient): void {
    client.release();
  }

  /** Closes a connection that nobody can say the state of. */
  discard(client: pg.PoolClient, cause: unknown): void {
    if (!this.isSuspect(client) && concernsOthers(unavailability(cause))) this.generation += 1;
    client.release(true);
  }

  /** Older than the last loss: it may be lost, too, without having heard of it. */
  private isSuspect(client: pg.PoolClient): boolean {
    return this.generations.get(client) !== this.generation;
  }

  /**
   * A statement in that scope. When the connection is in another one, what changes it goes in front, and is not waited for: the
   * server takes one after the other. What the statement has brought is not told unless that has succeeded.
   */
  async sendIn<Row>(client: pg.PoolClient, scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    if (this.scopes.get(client) === scope.setting) return this.send<Row>(client, statement);
    this.scopes.set(client, scope.setting);
    const entered = this.send(client, { name: 'scope', text: SET_SCOPE, values: [SCOPE_SETTING, scope.setting] });
    const [{ status }, outcome] = await Promise.allSettled([entered, this.send<Row>(client, statement)]);
    if (status === 'rejected') {
      this.forgetScope(client);
      await entered;
    }
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  forgetScope(client: pg.PoolClient): void {
    this.scopes.set(client, null);
  }

  /** One statement on a connection that is ours. Gives up when the server has not answered in time. */
  async send<Row>(client: pg.PoolClient, { name, isPlannedAnew, text, values }: Statement): Promise<Outcome<Row>> {
    const isKept = name !== undefined && isPlannedAnew !== true;
    const query = client.query<Row & pg.QueryResultRow>(isKept ? { name, text, values } : { text, values });
    const result = await withDeadline(query, this.statementTimeoutMs + GRACE_MS, () => {
      throw new DatabaseUnavailable('unanswered');
    });
    const { rows, rowCount, command } = result;
    // What pg keeps of a statement lives long enough to be taken for old: with its rows, collecting what is young took
    // 18 ms in place of one (pages of 200 rows).
    result.rows = [];
    return { rows, count: rowCount ?? 0, command };
  }

  /** Asks whether there is a database that takes writes. @throws DatabaseUnavailable */
  async answers(): Promise<void> {
    const client = await this.checkOut(SYSTEM);
    try {
      const { rows } = await this.send<{ is_read_only: boolean }>(client, { text: IS_READ_ONLY });
      if (rows[0]?.is_read_only === true) throw new DatabaseUnavailable('readOnly');
      this.checkIn(client);
    } catch (error) {
      this.discard(client, error);
      throw unavailability(error) ?? error;
    }
  }

  usage(): ConnectionUsage {
    const { totalCount, idleCount: idle, waitingCount: waiting, options } = this.pool;
    return { used: totalCount - idle, idle, waiting, most: options.max };
  }

  /** How long the first of those has waited who wait for their turn, milliseconds. 0: nobody waits, or not for others. */
  queueMs(): number {
    const nowMs = performance.now();
    const [first] = this.waiting;
    return first === undefined || nowMs - this.servedAtMs > STALLED_MS ? 0 : nowMs - first.sinceMs;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private async ready(scope: Scope): Promise<pg.PoolClient> {
    const client = await this.connect();
    if (this.scopes.has(client)) return client;
    try {
      await this.prepare(client, scope);
      return client;
    } catch (error) {
      this.discard(client, error);
      throw unavailability(error) ?? error;
    }
  }

  /** A connection that nothing is known against. @throws DatabaseUnavailable */
  private async connect(): Promise<pg.PoolClient> {
    const caller = { sinceMs: performance.now() };
    this.waiting.add(caller);
    try {
      const connect = () => onceMore(isEndedConnection, () => this.pool.connect());
      let client = await connect();
      while (this.isSuspect(client)) {
        client.release(true);
        client = await connect();
      }
      this.servedAtMs = performance.now();
      return client;
    } catch (error) {
      throw new DatabaseUnavailable('noConnection', error);
    } finally {
      this.waiting.delete(caller);
    }
  }

  /**
   * First use: limits, scope, and a role that row-level security binds when our own is above it: the one made for that,
   * or the owner of the tables. One round trip, which also tells a standby from the server that we want.
   * Settings live as long as the session: a pooler between us and the server must pool sessions, not transactions.
   */
  private async prepare(client: pg.PoolClient, scope: Scope): Promise<void> {
    const limits = [String(this.statementTimeoutMs), String(this.lockTimeoutMs)];
    const { rows } = await this.send<{ is_read_only: boolean }>(client, {
      text: PREPARE,
      values: [SCOPE_SETTING, scope.setting, ...limits, APPLICATION_ROLE],
    });
    // What a standby says may be old; and says nothing of the connections that there are.
    if (rows[0]?.is_read_only === true) throw new DatabaseUnavailable('noConnection');
    this.scopes.set(client, scope.setting);
  }
}
