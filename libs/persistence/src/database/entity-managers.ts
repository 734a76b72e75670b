import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { MikroORM, type EntityManager, type EntityMetadata, type InferKyselyDB } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { FieldCipher } from '../encryption/field-cipher.js';
import { ENTITIES } from '../entities/index.js';
import { Database, type Outcome, type Statement } from './database.js';
import { LOCK_UNTIL_COMMIT } from './database.statements.js';
import type { Scope } from './scope.js';
import { StatementDialect, StatementDriver } from './statement-driver.js';

const NAMING = { tableNamingStrategy: 'entity', columnNamingStrategy: 'property', convertValues: true } as const;

export type EntityTables = InferKyselyDB<(typeof ENTITIES)[number], typeof NAMING>;

/** A statement that starts with `with` may write. */
const READ = /^\s*select\b/i;

/** Creates entity managers and Kysely queries whose statements run through {@link Database}. */
@Injectable()
export class EntityManagers {
  private readonly orm: MikroORM;
  private readonly scopes = new AsyncLocalStorage<Scope>();
  /** Shared by all scopes, because creating it reads all entities. */
  private readonly tables: Kysely<EntityTables>;

  constructor(
    private readonly database: Database,
    cipher: FieldCipher,
  ) {
    this.orm = new MikroORM({
      entities: ENTITIES,
      // Required by MikroORM, unused: `Database` connects.
      dbName: 'unified_calendar',
      timezone: 'UTC',
      driver: StatementDriver as never,
      driverOptions: new StatementDialect((statement) => this.send(statement), cipher),
      implicitTransactions: false,
    });
    this.tables = this.orm.em.fork().getKysely<EntityTables>(NAMING);
  }

  async within<T>(scope: Scope, work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.scopes.run(scope, () => work(this.orm.em.fork()));
  }

  /** Joins an open transaction. Flushes the changed entities. */
  async transaction<T>(scope: Scope, work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.database.transaction(scope, () =>
      this.within(scope, async (em) => {
        // Makes MikroORM accept row locks; `Database` runs the transaction.
        em.setTransactionContext(em.getKysely());
        const result = await work(em);
        await em.flush();
        return result;
      }),
    );
  }

  /** Runs a transaction after all others with the same key, in any process. */
  async alone<T>(scope: Scope, key: number, work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.transaction(scope, async (em) => {
      await this.database.write(scope, { text: LOCK_UNTIL_COMMIT, values: [key] });
      return work(em);
    });
  }

  async query<T>(scope: Scope, work: (tables: Kysely<EntityTables>) => Promise<T>): Promise<T> {
    return this.scopes.run(scope, () => work(this.tables));
  }

  metadata(): EntityMetadata[] {
    return [...this.orm.getMetadata().getAll().values()];
  }

  private async send<Row>(statement: Statement): Promise<Outcome<Row>> {
    const scope = this.scopes.getStore();
    if (scope === undefined) throw new TypeError('An entity manager ends with the work that it was made for');
    if (!READ.test(statement.text)) return this.database.write<Row>(scope, statement);
    const rows = await this.database.read<Row>(scope, statement);
    return { rows, count: rows.length, command: 'SELECT' };
  }
}
