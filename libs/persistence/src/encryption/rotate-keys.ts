import { Database } from '../database/database.js';
import { LOCK_UNTIL_COMMIT } from '../database/database.statements.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { EncryptionRotationEntity } from '../entities/encryption-rotation.entity.js';
import { FieldCipher, FieldCipherError, headerOf, type KeyRing } from './field-cipher.js';
import { EncryptedType } from './encrypted.type.js';
import { countUnderOtherKeys, findSecret, lockSecrets, writeSecret } from '../ops-commands.statements.js';

export interface RotateKeysOptions {
  databaseUrl: string;
  keyRing: KeyRing;
  batchSize?: number;
  onProgress?: (progress: ColumnRotation) => void;
}

export interface ColumnRotation extends EncryptedColumn {
  /** Rows with a secret that were read, including those of an interrupted run. */
  visited: number;
  rewritten: number;
}

export interface RotationReport {
  keyId: string;
  columns: ColumnRotation[];
}

/** Some secrets could not be re-encrypted; all others were. */
export class RotationFailed extends Error {
  override readonly name = 'RotationFailed';

  constructor(
    message: string,
    readonly report: RotationReport,
    readonly failures: string[],
  ) {
    super(message);
  }
}

/** Processes that still encrypt with an old key make another pass necessary. */
const MAX_PASSES = 3;
const ROTATION_LOCK = '7215880210443129848';
const MAX_REPORTED_FAILURES = 100;

/**
 * Re-encrypts every secret under the first key while the system runs. Resumable. Give all processes the new ring first,
 * then rotate, then remove the old key. @throws RotationFailed, DatabaseUnavailable
 */
export async function rotateKeys(options: RotateKeysOptions): Promise<RotationReport> {
  const database = new Database({
    databaseUrl: options.databaseUrl,
    applicationName: 'unified-calendar rotate-keys',
    poolSize: 2,
    statementTimeoutMs: 60_000,
  });
  try {
    return await new KeyRotation(database, options).run();
  } finally {
    await database.close();
  }
}

class KeyRotation {
  private readonly cipher: FieldCipher;
  private readonly entities: EntityManagers;
  private readonly keyId: string;
  private readonly failures = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly options: RotateKeysOptions,
  ) {
    this.cipher = new FieldCipher(options.keyRing);
    this.entities = new EntityManagers(database, this.cipher);
    this.keyId = options.keyRing.current().kid;
  }

  async run(): Promise<RotationReport> {
    const columns = await encryptedColumns();
    const report: RotationReport = { keyId: this.keyId, columns: [] };
    for (const column of columns) {
      for (let pass = 1; ; pass += 1) {
        await this.rotateColumn(column);
        if ((await this.remaining(column)) === 0 || pass === MAX_PASSES) break;
        await this.startOver(column); // other processes wrote with an old key
      }
      report.columns.push(await this.finish(column));
    }
    await this.complain(report);
    return report;
  }

  private async rotateColumn(column: EncryptedColumn): Promise<void> {
    const beginning = { visited: 0, rewritten: 0, lastRowId: null, finishedAt: null };
    await this.entities.query(SYSTEM, (tables) =>
      tables
        .insertInto('EncryptionRotation')
        .values({ ...this.key(column), ...beginning })
        .onConflict((conflict) =>
          conflict
            .columns(['keyId', 'tableName', 'columnName'])
            .doUpdateSet(beginning)
            // Restarts a finished run and resumes an unfinished one.
            .where('EncryptionRotation.finishedAt', 'is not', null),
        )
        .execute(),
    );
    while (await this.rotateBatch(column));
  }

  /** Returns false at the end of the table. */
  private async rotateBatch({ table, column }: EncryptedColumn): Promise<boolean> {
    const size = this.options.batchSize ?? 200;
    return this.database.transaction(SYSTEM, async () => {
      // Serializes concurrent rotations, which would otherwise count rows twice.
      await this.database.write(SYSTEM, { text: LOCK_UNTIL_COMMIT, values: [ROTATION_LOCK] });
      const { lastRowId, visited, rewritten } = await this.progress({ table, column });
      const rows = await this.database.read<{ id: string; sealed: Buffer }>(SYSTEM, {
        text: lockSecrets({ table, column }),
        values: [lastRowId, size],
      });
      let changed = 0;
      for (const { id, sealed } of rows) {
        if (await this.rewrite({ table, column }, id, sealed)) changed += 1;
      }
      const last = rows.at(-1);
      if (last === undefined) return false;
      const progress = { visited: visited + rows.length, rewritten: rewritten + changed };
      await this.recordProgress({ table, column }, { lastRowId: last.id, ...progress });
      this.options.onProgress?.({ table, column, ...progress });
      return rows.length === size;
    });
  }

  private async rewrite({ table, column }: EncryptedColumn, id: string, sealed: Buffer): Promise<boolean> {
    const location = { table, column, rowId: id };
    let clear: Buffer;
    try {
      clear = this.cipher.open(location, sealed); // rows under the current key too, to verify them
    } catch (error) {
      if (!(error instanceof FieldCipherError)) throw error;
      if (this.failures.size < MAX_REPORTED_FAILURES) this.failures.add(error.message);
      return false;
    }
    if (sealed.indexOf(headerOf(this.keyId)) === 0) return false;
    await this.database.write(SYSTEM, {
      text: writeSecret({ table, column }),
      values: [id, this.cipher.seal(location, clear)],
    });
    return true;
  }

  private async remaining(column: EncryptedColumn): Promise<number> {
    const header = headerOf(this.keyId);
    const [row] = await this.database.read<{ count: number }>(SYSTEM, {
      text: countUnderOtherKeys(column),
      values: [header.length, header],
    });
    return row?.count ?? 0;
  }

  private async startOver(column: EncryptedColumn): Promise<void> {
    await this.recordProgress(column, { lastRowId: null });
  }

  private async finish(column: EncryptedColumn): Promise<ColumnRotation> {
    const row = await this.entities.query(SYSTEM, (tables) =>
      tables
        .updateTable('EncryptionRotation')
        .set(({ fn }) => ({ finishedAt: fn<Date>('clock_timestamp') }))
        .where((note) => note.and(this.key(column)))
        .returning(['visited', 'rewritten'])
        .executeTakeFirst(),
    );
    return { ...column, visited: row?.visited ?? 0, rewritten: row?.rewritten ?? 0 };
  }

  private async complain(report: RotationReport): Promise<void> {
    if (this.failures.size > 0) {
      throw new RotationFailed('Some secrets do not open with any key of the ring', report, [...this.failures]);
    }
    const behind: string[] = [];
    for (const column of report.columns) {
      const left = await this.remaining(column);
      if (left > 0) behind.push(`${column.table}.${column.column}: ${left} rows under another key`);
      if (column.visited === 0 && (await this.hasSecrets(column))) {
        behind.push(`${column.table}.${column.column}: not visited`);
      }
    }
    if (behind.length > 0) {
      throw new RotationFailed('Some secrets are still written under another key', report, behind);
    }
  }

  private async hasSecrets(column: EncryptedColumn): Promise<boolean> {
    return (await this.database.read(SYSTEM, { text: findSecret(column) })).length > 0;
  }

  private async progress(column: EncryptedColumn) {
    const row = await this.entities.query(SYSTEM, (tables) =>
      tables
        .selectFrom('EncryptionRotation')
        .select(['lastRowId', 'visited', 'rewritten'])
        .where((note) => note.and(this.key(column)))
        .executeTakeFirst(),
    );
    if (row === undefined) throw new Error(`There is no note of the rotation of ${column.table}.${column.column}`);
    return row;
  }

  private async recordProgress(
    column: EncryptedColumn,
    changes: { lastRowId: string | null; visited?: number; rewritten?: number },
  ): Promise<void> {
    await this.entities.within(SYSTEM, (em) => em.nativeUpdate(EncryptionRotationEntity, this.key(column), changes));
  }

  private key({ table, column }: EncryptedColumn) {
    return { keyId: this.keyId, tableName: table, columnName: column };
  }
}

export interface EncryptedColumn {
  table: string;
  column: string;
}

export async function encryptedColumns(): Promise<EncryptedColumn[]> {
  // Loaded on demand: the configuration imports all migrations, which serving does not need.
  const { MikroORM } = await import('@mikro-orm/postgresql');
  const { ormConfig } = await import('../orm.config.js');
  const orm = new MikroORM(ormConfig());
  return [...orm.getMetadata().getAll().values()].flatMap((entity) =>
    entity.props
      .filter((property) => property.customType instanceof EncryptedType)
      .map((property) => ({ table: entity.tableName, column: property.fieldNames[0] as string })),
  );
}
