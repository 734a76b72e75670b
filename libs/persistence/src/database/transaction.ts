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

/** What a transaction is known by once its connection is lost. */
interface Identity {
  /** null: it has changed nothing. */
  xid: string | null;
  /** When the server was started: numbers of transactions mean nothing after a crash, or on a standby that took over. */
  server: string;
}

/** How often, and how long after each other, a server is asked that has not yet noticed the loss. */
const OUTCOME_TRIES = 10;
const OUTCOME_PAUSE_MS = 100;

/** One transaction. Its statements take turns: the driver must not be given two at once. */
export class Transaction {
  /** null: given back, or closed. */
  private client: pg.PoolClient | null = null;
  /** Sent ahead of the first statement, and answered before it. */
  private begun: Promise<unknown> = Promise.resolve();
  private turn: Promise<unknown> = Promise.resolve();
  /** No statement was tried yet: on another connection it would be the same transaction. */
  private isUntouched = true;
  /** Why the connection can no longer be used. */
  private broken: DatabaseUnavailable | null = null;
  /** What the first failed statement met: since then the server takes no other. */
  private failure: unknown;

  private constructor(
    private readonly connections: Connections,
    private readonly scope: Scope,
  ) {}

  /** @throws DatabaseUnavailable */
  static async begin(connections: Connections, scope: Scope): Promise<Transaction> {
    const transaction = new Transaction(connections, scope);
    await transaction.enter();
    return transaction;
  }

  /** @throws DatabaseUnavailable, and what the server says of the statement */
  async run<Row>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    const mine = this.turn.then(() => this.runInTurn<Row>(scope, statement));
    this.turn = mine.catch((error: unknown) => {
      this.failure ??= error;
      // The failure belongs to who asked; a connection in doubt takes no further statement.
      if (!isConnectionUsable(error)) this.broken ??= unavailability(error);
    });
    try {
      return await mine;
    } catch (error) {
      throw unavailability(error) ?? error;
    }
  }

  /**
   * @throws DatabaseUnavailable when it is not committed, or nobody can say whether it is
   * @throws TransactionRolledBack when a statement had failed, whose failure nobody passed on
   */
  async commit(): Promise<void> {
    await this.turn;
    const client = await this.usable();
    const identity = this.connections.send<Identity>(client, { text: IDENTITY });
    const committed = this.connections.send(client, { text: 'commit' });
    const [known, end] = await Promise.allSettled([identity, committed]);
    if (end.status === 'fulfilled') {
      // As does a rollback that was asked for, this one undid a change of scope within the transaction.
      if (end.value.command !== COMMITTED) this.connections.forgetScope(client);
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

  /** Never fails: closing a connection in doubt rolls back as well. */
  async rollBack(): Promise<void> {
    await this.turn;
    if (this.client === null) return;
    const { client } = this;
    this.client = null;
    try {
      await this.begun;
      if (this.broken !== null) throw this.broken;
      await this.connections.send(client, { text: 'rollback' });
      // The rollback also undid a change of scope within the transaction.
      this.connections.forgetScope(client);
      this.connections.checkIn(client);
    } catch (error) {
      this.connections.discard(client, error);
    }
  }

  private async enter(): Promise<void> {
    const client = await this.connections.checkOut(this.scope);
    this.client = client;
    this.begun = this.connections.sendIn(client, this.scope, { text: 'begin' });
    this.begun.catch(() => undefined); // told by whoever comes next
  }

  private async runInTurn<Row>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
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

  /** What came of a commit whose answer was lost. False, too, when nobody can say. */
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

/** A transaction that failed is answered with `ROLLBACK` (PostgreSQL manual, COMMIT). */
const COMMITTED = 'COMMIT';
