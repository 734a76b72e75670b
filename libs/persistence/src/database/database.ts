import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { Connections, type ConnectionOptions } from './connections.js';
import { DatabaseUnavailable, isConnectionUsable, unavailability } from './database-errors.js';
import type { Scope } from './scope.js';

/** A statement with its parameters. One with a name is prepared once per connection: for the hot ones. */
export interface Statement {
  name?: string;
  text: string;
  values?: unknown[];
}

export interface Outcome<Row> {
  rows: Row[];
  /** Rows read or changed. */
  count: number;
}

/** Told of every statement before it is sent. */
export type StatementObserver = (statement: Statement, scope: Scope) => void;

export interface DatabaseOptions extends ConnectionOptions {
  onStatement?: StatementObserver;
}

/** The transaction that the running code is in. Statements take turns: the driver must not be given two at once. */
interface Transaction {
  client: pg.PoolClient;
  /** Sent ahead of the first statement, and answered before it. */
  begun: Promise<unknown>;
  turn: Promise<unknown>;
  /** Why the connection can no longer be used. */
  broken: DatabaseUnavailable | null;
}

/**
 * The only way to our tables: statements in the scope of an application (or the system), alone or in a transaction.
 * @throws DatabaseUnavailable from every method, when the database is away, overloaded or too slow
 */
export class Database {
  private readonly connections: Connections;
  private readonly transactions = new AsyncLocalStorage<Transaction | null>();

  constructor(private readonly options: DatabaseOptions) {
    this.connections = new Connections(options);
  }

  /** A statement without effects: sent again, once, when its connection was killed under it. */
  async read<Row>(scope: Scope, statement: Statement): Promise<Row[]> {
    const run = () => this.run<Row>(scope, statement);
    const { rows } = await (this.inTransaction() ? run() : repeatedWhenLost(run));
    return rows;
  }

  /** A statement with effects: never sent twice, since whether it took effect before a failure is unknown. */
  async write<Row = never>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    return this.run<Row>(scope, statement);
  }

  /** Runs `work` in one transaction, which everything that it calls joins; joins the one that is already there. */
  async transaction<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    if (this.inTransaction()) return work();
    const client = await this.connections.checkOut(scope);
    const begun = this.connections.sendIn(client, scope, { text: 'begin' });
    const transaction: Transaction = { client, begun, turn: Promise.resolve(), broken: null };
    begun.catch((error: unknown) => {
      transaction.broken = unavailability(error);
    });
    try {
      const result = await this.transactions.run(transaction, work);
      await transaction.turn;
      await this.control(transaction, 'commit');
      this.connections.checkIn(client);
      return result;
    } catch (error) {
      await this.rollBack(transaction);
      throw error;
    }
  }

  /** Runs `work` outside of the transaction that the caller may be in: what must hold even if that one is undone. */
  async detached<T>(work: () => Promise<T>): Promise<T> {
    return this.transactions.run(null, work);
  }

  inTransaction(): boolean {
    return (this.transactions.getStore() ?? null) !== null;
  }

  /** @throws DatabaseUnavailable when there is no answer within `timeoutMs` */
  async ping(timeoutMs: number): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new DatabaseUnavailable('timeout')), timeoutMs);
    try {
      await Promise.race([repeatedWhenLost(() => this.connections.answers()), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether the connections' role is bound by row-level security. */
  async isBoundByRowLevelSecurity(scope: Scope): Promise<boolean> {
    const [row] = await this.read<{ bound: boolean }>(scope, {
      text: 'select not (rolsuper or rolbypassrls) as bound from pg_roles where rolname = current_user',
    });
    return row?.bound === true;
  }

  async close(): Promise<void> {
    await this.connections.close();
  }

  private async run<Row>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    this.options.onStatement?.(statement, scope);
    const transaction = this.transactions.getStore() ?? null;
    if (transaction !== null) return this.runInTurn<Row>(transaction, scope, statement);
    const client = await this.connections.checkOut(scope);
    try {
      const outcome = await this.connections.sendIn<Row>(client, scope, statement);
      this.connections.checkIn(client);
      return outcome;
    } catch (error) {
      if (isConnectionUsable(error)) this.connections.checkIn(client);
      else this.connections.discard(client, error);
      throw unavailability(error) ?? error;
    }
  }

  private async runInTurn<Row>(transaction: Transaction, scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    const mine = transaction.turn.then(async () => {
      if (transaction.broken !== null) throw transaction.broken;
      const outcome = this.connections.sendIn<Row>(transaction.client, scope, statement);
      await Promise.allSettled([transaction.begun, outcome]);
      await transaction.begun;
      return outcome;
    });
    transaction.turn = mine.catch((error: unknown) => {
      // The failure belongs to who asked; a connection in doubt takes no further statement.
      if (!isConnectionUsable(error)) transaction.broken = unavailability(error);
    });
    try {
      return await mine;
    } catch (error) {
      throw unavailability(error) ?? error;
    }
  }

  private async control(transaction: Transaction, text: 'commit' | 'rollback'): Promise<void> {
    try {
      await transaction.begun;
      if (transaction.broken !== null) throw transaction.broken;
      await this.connections.send(transaction.client, { text });
    } catch (error) {
      transaction.broken ??= unavailability(error);
      throw transaction.broken ?? error;
    }
  }

  private async rollBack(transaction: Transaction): Promise<void> {
    await transaction.turn;
    try {
      await this.control(transaction, 'rollback');
      // The rollback also undid a change of scope within the transaction.
      this.connections.forgetScope(transaction.client);
      this.connections.checkIn(transaction.client);
    } catch (error) {
      // The failure that brought us here is the one to tell; closing a connection in doubt rolls back as well.
      this.connections.discard(transaction.client, error);
    }
  }
}

/** A connection that was lost while it was idle says nothing about the database. */
async function repeatedWhenLost<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable) || error.reason !== 'connectionLost') throw error;
    return send();
  }
}
