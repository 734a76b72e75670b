import {
  AbstractSqlDriver,
  isRaw,
  NativeQueryBuilder,
  PostgreSqlConnection,
  PostgreSqlPlatform,
  type Configuration,
  type RawQueryFragment,
} from '@mikro-orm/postgresql';
import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Kysely,
  type QueryResult,
} from 'kysely';
import type { FieldCipher } from '../encryption/field-cipher.js';
import type { Outcome, Statement } from './database.js';

export type SendStatement = <Row>(statement: Statement) => Promise<Outcome<Row>>;

export class StatementDialect implements Dialect {
  constructor(
    readonly send: SendStatement,
    readonly cipher: FieldCipher,
  ) {}

  createDriver() {
    const connection: DatabaseConnection = {
      executeQuery: <Row>({ sql, parameters }: CompiledQuery) =>
        this.result<Row>({ text: sql, values: [...parameters] }),
      streamQuery: notOurs,
    };
    return {
      init: async () => undefined,
      acquireConnection: async () => connection,
      beginTransaction: notOurs,
      commitTransaction: notOurs,
      rollbackTransaction: notOurs,
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    };
  }

  createQueryCompiler() {
    return new PostgresQueryCompiler();
  }

  createAdapter() {
    return new PostgresAdapter();
  }

  createIntrospector(database: Kysely<unknown>) {
    return new PostgresIntrospector(database);
  }

  async result<Row>(statement: Statement): Promise<QueryResult<Row>> {
    const { rows, count } = await this.send<Row>(statement);
    return { rows, numAffectedRows: BigInt(count) };
  }
}

function notOurs(): never {
  throw new TypeError('Transactions begin in EntityManagers');
}

/** Sends values as parameters. MikroORM would inline them, and the server logs the text of statements. */
class StatementConnection extends PostgreSqlConnection {
  override async execute<T>(
    query: string | NativeQueryBuilder | RawQueryFragment,
    params: unknown = [],
    method: 'all' | 'get' | 'run' = 'all',
  ): Promise<T> {
    const fragment = query instanceof NativeQueryBuilder ? query.toRaw() : query;
    const { sql, params: values } = isRaw(fragment) ? fragment : { sql: fragment, params: params as unknown[] };
    const statement = toStatement(this.getPlatform() as PostgreSqlPlatform, sql, values);
    return this.transformRawResult<T>(await dialectOf(this.config).result(statement), method);
  }
}

export class StatementDriver extends AbstractSqlDriver<StatementConnection, PostgreSqlPlatform> {
  constructor(config: Configuration) {
    super(config, new PostgreSqlPlatform(), StatementConnection, ['kysely', 'pg']);
  }

  /** Keeps driver errors: repositories check their SQLSTATE. */
  override convertException(exception: Error): never {
    throw exception;
  }
}

export function dialectOf(config: Configuration): StatementDialect {
  const dialect: unknown = config.get('driverOptions');
  if (!(dialect instanceof StatementDialect)) throw new TypeError('This mapper knows entities, and no database');
  return dialect;
}

/** Converts the placeholders of MikroORM (`?` value, `??` identifier, `\?` literal) to those of PostgreSQL. */
function toStatement(platform: PostgreSqlPlatform, sql: string, params: readonly unknown[]): Statement {
  const values: unknown[] = [];
  const numbered = (text: string, given: readonly unknown[]): string => {
    let next = 0;
    return text.replaceAll(/\\\?|\?\??/g, (token) => {
      if (token === '\\?') return '?';
      const value = given[next];
      next += 1;
      if (token === '??') return platform.quoteIdentifier(value as string);
      return isRaw(value) ? numbered(value.sql, value.params) : `$${values.push(value)}`;
    });
  };
  return { text: numbered(sql, params), values };
}
