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
  applicationName?: string;
  poolSize?: number;
  connectTimeoutMs?: number;
  /** The client gives up half a second later on a server that does not respond. */
  statementTimeoutMs?: number;
  lockTimeoutMs?: number;
  onConnectionError?: (error: Error) => void;
}

export interface ConnectionUsage {
  used: number;
  idle: number;
  waiting: number;
  most: number;
}

const DEFAULTS = { poolSize: 10, connectTimeoutMs: 2_000, statementTimeoutMs: 5_000, lockTimeoutMs: 2_000 };
/** Extra time over the limit of the server, which may be frozen and unable to report its timeout. */
const GRACE_MS = 500;

/** When no caller got a connection for this long, callers wait for the server rather than for each other. */
const STALLED_MS = 1_000;

export class Connections {
  private readonly pool: pg.Pool;
  private readonly statementTimeoutMs: number;
  private readonly lockTimeoutMs: number;
  /** Scope of each connection; null when unknown, absent for a new connection. */
  private readonly scopes = new WeakMap<pg.PoolClient, string | null>();
  /** Increases with each lost connection: one cause often breaks all connections, but only some report it. */
  private generation = 0;
  /** Callers without a connection, in order of arrival, with the monotonic time of their call. */
  private readonly waiting = new Set<{ sinceMs: number }>();
  private servedAtMs = -Infinity;
  private readonly generations = new WeakMap<pg.Client, number>();

  constructor(options: ConnectionOptions) {
    this.statementTimeoutMs = options.statementTimeoutMs ?? DEFAULTS.statementTimeoutMs;
    this.lockTimeoutMs = options.lockTimeoutMs ?? DEFAULTS.lockTimeoutMs;
    const begun = (client: pg.Client) => this.generations.set(client, this.generation);
    this.pool = new pg.Pool({
      // The generation counts from the start of the connect: a failure also breaks connections that are being opened.
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
      pipeline: true,
    });
    const onError = (error: Error) => options.onConnectionError?.(error);
    // An 'error' event without a listener would end the process. A broken connection fails its next statement.
    this.pool.on('error', onError);
    this.pool.on('connect', (client) => client.on('error', onError));
  }

  /** Retries once, because nothing was sent. @throws DatabaseUnavailable */
  async checkOut(scope: Scope): Promise<pg.PoolClient> {
    return onceMore(isLost, () => this.ready(scope));
  }

  checkIn(client: pg.PoolClient): void {
    client.release();
  }

  discard(client: pg.PoolClient, cause: unknown): void {
    if (!this.isSuspect(client) && concernsOthers(unavailability(cause))) this.generation += 1;
    client.release(true);
  }

  /** Older than the last loss, so possibly lost without having reported it. */
  private isSuspect(client: pg.PoolClient): boolean {
    return this.generations.get(client) !== this.generation;
  }

  /** Sends a change of scope ahead of the statement without waiting. The result counts only if the change succeeded. */
  async sendIn<Row>(client: pg.PoolClient, scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    if (this.scopes.get(client) === scope.setting) return this.send<Row>(client, statement);
    this.scopes.set(client, scope.setting);
    const entered = this.send(client, { name: 'scope', text: SET_SCOPE, values: [SCOPE_SETTING, scope.setting] });
    const [{ status }, outcome] = await Promise.allSettled([entered, this.send<Row>(client, statement)]);
    if (status === 'rejected') {
      this.clearScope(client);
      await entered;
    }
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  clearScope(client: pg.PoolClient): void {
    this.scopes.set(client, null);
  }

  /** @throws DatabaseUnavailable `unanswered` when the server does not respond in time */
  async send<Row>(client: pg.PoolClient, { name, skipsPlanCache, text, values }: Statement): Promise<Outcome<Row>> {
    const isKept = name !== undefined && skipsPlanCache !== true;
    const query = client.query<Row & pg.QueryResultRow>(isKept ? { name, text, values } : { text, values });
    const result = await withDeadline(query, this.statementTimeoutMs + GRACE_MS, () => {
      throw new DatabaseUnavailable('unanswered');
    });
    const { rows, rowCount, command } = result;
    // pg holds a result long enough for it to leave the young generation. With its rows, minor garbage collections took
    // 18 ms instead of one (pages of 200 rows).
    result.rows = [];
    return { rows, count: rowCount ?? 0, command };
  }

  /** @throws DatabaseUnavailable when no writable database responds */
  async ping(): Promise<void> {
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

  /** Longest current wait for a connection in ms. 0 when no caller waits, or when all wait for a stalled server. */
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

  /** @throws DatabaseUnavailable */
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
   * Sets limits and scope in one round trip, which also detects a standby. Replaces a role that bypasses row-level
   * security by one that it binds. The settings belong to the session, so a pooler must use session mode.
   */
  private async prepare(client: pg.PoolClient, scope: Scope): Promise<void> {
    const limits = [String(this.statementTimeoutMs), String(this.lockTimeoutMs)];
    const { rows } = await this.send<{ is_read_only: boolean }>(client, {
      text: PREPARE,
      values: [SCOPE_SETTING, scope.setting, ...limits, APPLICATION_ROLE],
    });
    // `noConnection` instead of `readOnly`: a standby may be out of date and says nothing about existing connections.
    if (rows[0]?.is_read_only === true) throw new DatabaseUnavailable('noConnection');
    this.scopes.set(client, scope.setting);
  }
}
