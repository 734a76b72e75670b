import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable } from '@nestjs/common';
import type { Attributes } from '@opentelemetry/api';
import { turns } from '#platform/event-loop';
import { withDeadline } from '#platform/deadline';
import { isRecording, histogram } from '#platform/telemetry';
import type { ApplicationRef } from '#domain/applications';
import { UnitOfWork } from '#domain/system';
import { Connections, type ConnectionOptions, type ConnectionUsage } from './connections.js';
import {
  DatabaseUnavailable,
  hadNoEffect,
  isConnectionUsable,
  isLost,
  isRepeatable,
  onceMore,
  unavailability,
} from './database-errors.js';
import { IS_BOUND } from './database.statements.js';
import { type Scope, tenant } from './scope.js';
import { databaseAttributes, inStatementSpan } from './statement-span.js';
import { Transaction } from './transaction.js';

export interface Statement {
  /** Prepares the statement once per connection and names its span. The server keeps one plan after five runs. */
  name?: string;
  /** Plans each run anew, for tables whose size varies between empty and full. */
  skipsPlanCache?: boolean;
  text: string;
  values?: unknown[];
}

export interface Outcome<Row> {
  rows: Row[];
  count: number;
  /** Command tag of the server: `SELECT`, `COMMIT`, … */
  command: string;
}

export type StatementObserver = (statement: Statement, scope: Scope) => void;

export interface DatabaseOptions extends ConnectionOptions {
  onStatement?: StatementObserver;
}

export const DATABASE_OPTIONS = Symbol('DatabaseOptions');

/** The only access to our tables. @throws DatabaseUnavailable from every method */
@Injectable()
export class Database {
  private readonly connections: Connections;
  private readonly attributes: Attributes;
  private readonly transactions = new AsyncLocalStorage<Transaction | null>();

  constructor(@Inject(DATABASE_OPTIONS) private readonly options: DatabaseOptions) {
    this.connections = new Connections(options);
    this.attributes = databaseAttributes(options.databaseUrl);
  }

  /** Retries once after a lost connection or a deadlock, so the statement must have no effects. */
  async read<Row>(scope: Scope, statement: Statement): Promise<Row[]> {
    const { rows } = await this.sentAgain<Row>(isRepeatable, scope, statement);
    return rows;
  }

  /** Retries once only when the statement certainly had no effect, which is unknown after a lost connection. */
  async write<Row = never>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    return this.sentAgain<Row>(hadNoEffect, scope, statement);
  }

  /** Retries once after a lost connection or a deadlock, so the statement must be idempotent. */
  async writeRepeatable<Row = never>(scope: Scope, statement: Statement): Promise<Outcome<Row>> {
    return this.sentAgain<Row>(isRepeatable, scope, statement);
  }

  /** Joins an open transaction. Asks the server for the outcome when the response to the commit is lost. */
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

  /** Runs `work` outside the open transaction, so that its writes survive a rollback. */
  async detached<T>(work: () => Promise<T>): Promise<T> {
    return this.transactions.run(null, work);
  }

  inTransaction(): boolean {
    return (this.transactions.getStore() ?? null) !== null;
  }

  async ping(timeoutMs: number): Promise<void> {
    const responses = onceMore(isLost, () => this.connections.ping());
    await withDeadline(responses, timeoutMs, () => {
      throw new DatabaseUnavailable('timeout');
    });
  }

  usage(): ConnectionUsage {
    return this.connections.usage();
  }

  queueMs(): number {
    return this.connections.queueMs();
  }

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
    const outcome = isRecording()
      ? await inStatementSpan(statement, this.attributes, () => this.perform<Row>(when, scope, statement))
      : await this.perform<Row>(when, scope, statement);
    // Callers in a transaction, or detached from one, do not yield: they hold locks that others wait for.
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
