import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Connections } from './connections.js';
import {
  isConnectionUsable,
  isLost,
  TransactionRolledBack,
  unavailability,
  type DatabaseUnavailable,
} from './database-errors.js';
import type { Outcome, Statement } from './database.js';
import { IDENTITY, STATUS } from './database.statements.js';
import { SYSTEM, type Scope } from './scope.js';

interface Identity {
  /** null when the transaction changed nothing. */
  xid: string | null;
  /** Start time of the server: transaction ids mean nothing after a crash or on a promoted standby. */
  server: string;
}

/** Retries of the outcome while the server has not yet noticed the lost connection. */
const OUTCOME_TRIES = 10;
const OUTCOME_PAUSE_MS = 100;

export class Transaction {
  /** null once released or closed. */
  private client: pg.PoolClient | null = null;
  /** The `begin`, sent ahead of the first statement. */
  private begun: Promise<unknown> = Promise.resolve();
  private turn: Promise<unknown> = Promise.resolve();
  /** True until the first statement, which can restart the transaction on another connection. */
  private isUntouched = true;
  private broken: DatabaseUnavailable | null = null;
  /** Error of the first failed statement: the server rejects all later ones. */
  private failure: unknown;

  private constructor(
    private readonly connections: Connections,
    private readonly scope: Scope,
  ) {}

  static async begin(connections: Connections, scope: Scope): Promise<Transaction> {
    const transaction = new Transaction(connections, scope);
    await transaction.enter();
    return transaction;
  }

  /** @throws DatabaseUnavailable, or the error of the statement */
  async run<Row>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    const mine = this.turn.then(() => this.runInOrder<Row>(scope, statement));
    this.turn = mine.catch((error: unknown) => {
      this.failure ??= error;
      // The caller handles the error; a connection in doubt gets no further statement.
      if (!isConnectionUsable(error)) this.broken ??= unavailability(error);
    });
    try {
      return await mine;
    } catch (error) {
      throw unavailability(error) ?? error;
    }
  }

  /** @throws DatabaseUnavailable, or TransactionRolledBack when the caller ignored a failed statement */
  async commit(): Promise<void> {
    await this.turn;
    const client = await this.usable();
    const identity = this.connections.send<Identity>(client, { text: IDENTITY });
    const committed = this.connections.send(client, { text: 'commit' });
    const [known, end] = await Promise.allSettled([identity, committed]);
    if (end.status === 'fulfilled') {
      // A rollback also undoes a change of scope inside the transaction.
      if (end.value.command !== COMMITTED) this.connections.clearScope(client);
      this.connections.checkIn(client);
    } else {
      this.connections.discard(client, end.reason);
    }
    this.client = null;
    if (end.status === 'fulfilled') {
      if (end.value.command === COMMITTED) return;
      throw unavailability(this.failure) ?? new TransactionRolledBack(this.failure);
    }
    const [self] = known.status === 'fulfilled' ? known.value.rows : [];
    if (self !== undefined && (await this.isCommitted(self))) return;
    throw unavailability(end.reason) ?? end.reason;
  }

  /** Never fails: closing a connection in doubt also rolls back. */
  async rollBack(): Promise<void> {
    await this.turn;
    if (this.client === null) return;
    const { client } = this;
    this.client = null;
    try {
      await this.begun;
      if (this.broken !== null) throw this.broken;
      await this.connections.send(client, { text: 'rollback' });
      this.connections.clearScope(client);
      this.connections.checkIn(client);
    } catch (error) {
      this.connections.discard(client, error);
    }
  }

  private async enter(): Promise<void> {
    const client = await this.connections.checkOut(this.scope);
    this.client = client;
    this.begun = this.connections.sendIn(client, this.scope, { text: 'begin' });
    this.begun.catch(() => undefined); // the next statement reports it
  }

  private async runInOrder<Row>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    const { isUntouched } = this;
    this.isUntouched = false;
    try {
      return await this.sendBehindBegin<Row>(scope, statement);
    } catch (error) {
      const client = this.client;
      if (!isUntouched || client === null || !isLost(unavailability(error))) throw error;
      this.client = null;
      this.connections.discard(client, error);
      await this.enter();
      return this.sendBehindBegin<Row>(scope, statement);
    }
  }

  private async sendBehindBegin<Row>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    if (this.broken !== null) throw this.broken;
    if (this.client === null) throw new TypeError('The transaction has ended');
    const outcome = this.connections.sendIn<Row>(this.client, scope, statement);
    await Promise.allSettled([this.begun, outcome]);
    await this.begun;
    return outcome;
  }

  private async usable(): Promise<pg.PoolClient> {
    try {
      await this.begun;
    } catch (error) {
      this.broken ??= unavailability(error);
      throw this.broken ?? error;
    }
    if (this.broken !== null) throw this.broken;
    if (this.client === null) throw new TypeError('The transaction has ended');
    return this.client;
  }

  /** Outcome of a commit whose response was lost; false when it stays unknown. */
  private async isCommitted({ xid, server }: Identity): Promise<boolean> {
    if (xid === null) return true;
    for (let tries = 0; tries < OUTCOME_TRIES; tries += 1) {
      if (tries > 0) await sleep(OUTCOME_PAUSE_MS);
      const status = await this.statusOf(xid, server).catch(() => null);
      if (status !== 'in progress') return status === 'committed';
    }
    return false;
  }

  private async statusOf(xid: string, server: string): Promise<string | null> {
    const client = await this.connections.checkOut(SYSTEM);
    try {
      const { rows } = await this.connections.sendIn<{ status: string | null }>(client, SYSTEM, {
        text: STATUS,
        values: [xid, server],
      });
      this.connections.checkIn(client);
      return rows[0]?.status ?? null;
    } catch (error) {
      this.connections.discard(client, error);
      throw error;
    }
  }
}

/** PostgreSQL responds `ROLLBACK` to the commit of a failed transaction (manual, COMMIT). */
const COMMITTED = 'COMMIT';
