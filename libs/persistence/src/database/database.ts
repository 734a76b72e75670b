import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable } from '@nestjs/common';
import type { Attributes } from '@opentelemetry/api';
import { turns } from '#platform/event-loop';
import { withDeadline } from '#platform/deadline';
import { isTraced, histogram } from '#platform/telemetry';
import { UnitOfWork, type ApplicationRef } from '#domain';
import { Connections, type ConnectionOptions, type ConnectionUsage } from './connections.js';
import {
  DatabaseUnavailable,
  hadNoEffect,
  isConnectionUsable,
  isLost,
  onceMore,
  unavailability,
} from './database-errors.js';
import { IS_BOUND } from './database.statements.js';
import { type Scope, tenant } from './scope.js';
import { databaseAttributes, inStatementSpan } from './statement-span.js';
import { Transaction } from './transaction.js';

/** A statement with its parameters. One with a name is prepared once per connection: for the hot ones. */
export interface Statement {
  /** Names its span, too. After five runs the server keeps one plan. */
  name?: string;
  /** The server plans each run for the size that the tables have then: for a table that is empty at times, and full at others. */
  isPlannedAnew?: boolean;
  text: string;
  values?: unknown[];
}

export interface Outcome<Row> {
  rows: Row[];
  /** Rows read or changed. */
  count: number;
  /** What the server says that it did: `SELECT`, `COMMIT`, … */
  command: string;
}

/** Told of every statement before it is sent. */
export type StatementObserver = (statement: Statement, scope: Scope) => void;

export interface DatabaseOptions extends ConnectionOptions {
  onStatement?: StatementObserver;
}

export const DATABASE_OPTIONS = Symbol('DatabaseOptions');

/**
 * The only way to our tables: statements in the scope of an application (or the system), alone or in a transaction.
 * @throws DatabaseUnavailable from every method, when the database is away, overloaded or too slow
 */
@Injectable()
export class Database {
  private readonly connections: Connections;
  private readonly attributes: Attributes;
  private readonly transactions = new AsyncLocalStorage<Transaction | null>();

  constructor(@Inject(DATABASE_OPTIONS) private readonly options: DatabaseOptions) {
    this.connections = new Connections(options);
    this.attributes = databaseAttributes(options.databaseUrl);
  }

  /** A statement without effects: sent again, once, when its connection was lost under it. */
  async read<Row>(scope: Scope, statement: Statement): Promise<Row[]> {
    const { rows } = await this.sentAgain<Row>(isLost, scope, statement);
    return rows;
  }

  /**
   * A statement with effects: sent again, once, when it is certain that it had none. Whether it took effect before its
   * connection was lost is unknown: then it is not.
   */
  async write<Row = never>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    return this.sentAgain<Row>(hadNoEffect, scope, statement);
  }

  /** A statement that has no more effects when it is sent twice: sent again, once, when its connection was lost. */
  async writeRepeatable<Row = never>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    return this.sentAgain<Row>(isLost, scope, statement);
  }

  /**
   * Runs `work` in one transaction, which everything that it calls joins; joins the one that is already there. When the
   * answer to its commit is lost, the server is asked what came of it.
   */
  async transaction<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    if (this.inTransaction()) return work();
    const transaction = await Transaction.begin(this.connections, scope);
    try {
      const result = await this.transactions.run(transaction, work);
      await inStatementSpan({ text: 'commit' }, this.attributes, () => transaction.commit());
      return result;
    } catch (error) {
      await inStatementSpan({ text: 'rollback' }, this.attributes, () => transaction.rollBack());
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
    const answers = onceMore(isLost, () => this.connections.answers());
    await withDeadline(answers, timeoutMs, () => {
      throw new DatabaseUnavailable('timeout');
    });
  }

  /** Of the connections of this process, at this moment. */
  usage(): ConnectionUsage {
    return this.connections.usage();
  }

  /** For how long callers wait for each other at this moment, milliseconds. */
  queueMs(): number {
    return this.connections.queueMs();
  }

  /** Whether the connections' role is bound by row-level security. */
  async isBoundByRowLevelSecurity(scope: Scope): Promise<boolean> {
    const [row] = await this.read<{ bound: boolean }>(scope, { text: IS_BOUND });
    return row?.bound === true;
  }

  async close(): Promise<void> {
    await this.connections.close();
  }

  private async sentAgain<Row>(
    when: (error: unknown) => boolean,
    scope: Scope,
    statement: Statement,
  ): Promise<Outcome<Row>> {
    this.options.onStatement?.(statement, scope);
    const outcome = isTraced()
      ? await inStatementSpan(statement, this.attributes, () => this.perform<Row>(when, scope, statement))
      : await this.perform<Row>(when, scope, statement);
    // Who is in a transaction, or was before stepping out of it, holds locks that others wait for.
    if (this.transactions.getStore() === undefined) await turns.next();
    return outcome;
  }

  private async perform<Row>(
    when: (error: unknown) => boolean,
    scope: Scope,
    statement: Statement,
  ): Promise<Outcome<Row>> {
    const transaction = this.transactions.getStore() ?? null;
    return measuredStatement(() =>
      transaction === null
        ? onceMore(when, () => this.send<Row>(scope, statement))
        : transaction.run<Row>(scope, statement),
    );
  }

  private async send<Row>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
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
}

const statements = histogram('calendar_database_statement_duration_seconds');
const OK = { outcome: 'ok' } as const;
const FAILED = { outcome: 'failed' } as const;
const UNAVAILABLE = { outcome: 'unavailable' } as const;

/** Measures a statement, the wait for its connection included. */
export async function measuredStatement<T>(send: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  try {
    const outcome = await send();
    statements.observe((performance.now() - startMs) / 1_000, OK);
    return outcome;
  } catch (error) {
    const labels = error instanceof DatabaseUnavailable ? UNAVAILABLE : FAILED;
    statements.observe((performance.now() - startMs) / 1_000, labels);
    throw error;
  }
}

@Injectable()
export class SqlUnitOfWork extends UnitOfWork {
  constructor(private readonly database: Database) {
    super();
  }

  override async run<T>({ applicationId }: ApplicationRef, work: () => Promise<T>): Promise<T> {
    return this.database.transaction(tenant(applicationId), work);
  }
}
