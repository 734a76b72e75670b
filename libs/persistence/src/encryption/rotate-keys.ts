import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { FieldCipher, FieldCipherError, headerOf } from './field-cipher.js';
import type { KeyRing } from './key-ring.js';
import { EncryptedType } from './encrypted.type.js';

export interface RotateKeysOptions {
  databaseUrl: string;
  keyRing: KeyRing;
  /** Rows per transaction. Default 200. */
  batchSize?: number;
  /** Told after each batch. */
  onProgress?: (progress: ColumnRotation) => void;
}

export interface ColumnRotation extends EncryptedColumn {
  /** Rows with a secret that were looked at, those of an interrupted run included. */
  visited: number;
  /** Of these, the ones that were under another key. */
  rewritten: number;
}

export interface RotationReport {
  /** The key that everything is now under. */
  keyId: string;
  columns: ColumnRotation[];
}

/** Not everything could be brought under the current key. What could, has been. */
export class RotationFailed extends Error {
  override readonly name = 'RotationFailed';

  constructor(
    message: string,
    readonly report: RotationReport,
    /** `table.column of row`, the first hundred. */
    readonly failures: string[],
  ) {
    super(message);
  }
}

/** Writers that still encrypt with an old key make another pass necessary; this many are tried. */
const MAX_PASSES = 3;
const ROTATION_LOCK = '7215880210443129848';
const MAX_FAILURES_TOLD = 100;

/**
 * Re-encrypts every secret under the ring's first key, while everything runs. Restartable at any point: each batch and
 * the note of it are one transaction. Give all processes the new ring first, then rotate, then drop the old key.
 * @throws RotationFailed, DatabaseUnavailable
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
  private readonly keyId: string;
  private readonly failures = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly options: RotateKeysOptions,
  ) {
    this.cipher = new FieldCipher(options.keyRing);
    this.keyId = options.keyRing.current().kid;
  }

  async run(): Promise<RotationReport> {
    const columns = await encryptedColumns();
    const report: RotationReport = { keyId: this.keyId, columns: [] };
    for (const column of columns) {
      for (let pass = 1; ; pass += 1) {
        await this.rotateColumn(column);
        if ((await this.remaining(column)) === 0 || pass === MAX_PASSES) break;
        await this.startOver(column); // written behind our back with an old key
      }
      report.columns.push(await this.finish(column));
    }
    await this.complain(report);
    return report;
  }

  private async rotateColumn(column: EncryptedColumn): Promise<void> {
    await this.database.write(SYSTEM, {
      text:
        'insert into encryption_rotation (key_id, table_name, column_name, visited, rewritten) ' +
        'values ($1, $2, $3, 0, 0) on conflict (key_id, table_name, column_name) do update ' +
        // A finished one is a new run; an unfinished one goes on where it stood.
        'set visited = 0, rewritten = 0, last_row_id = null, finished_at = null ' +
        'where encryption_rotation.finished_at is not null',
      values: this.key(column),
    });
    while (await this.rotateBatch(column));
  }

  /** One transaction: some rows, and the note that they are done. False at the end of the table. */
  private async rotateBatch({ table, column }: EncryptedColumn): Promise<boolean> {
    const size = this.options.batchSize ?? 200;
    return this.database.transaction(SYSTEM, async () => {
      // Two rotations at once would count twice: the second waits for the batch and goes on behind it.
      await this.database.write(SYSTEM, { text: 'select pg_advisory_xact_lock($1)', values: [ROTATION_LOCK] });
      const { last_row_id: after, visited, rewritten } = await this.progress({ table, column });
      const rows = await this.database.read<{ id: string; sealed: Buffer }>(SYSTEM, {
        text:
          `select id, ${column} as sealed from ${table} where ($1::uuid is null or id > $1) ` +
          `and ${column} is not null order by id limit $2 for update`,
        values: [after, size],
      });
      let changed = 0;
      for (const { id, sealed } of rows) {
        if (await this.rewrite({ table, column }, id, sealed)) changed += 1;
      }
      const last = rows.at(-1);
      if (last === undefined) return false;
      const progress = { table, column, visited: visited + rows.length, rewritten: rewritten + changed };
      await this.database.write(SYSTEM, {
        text:
          'update encryption_rotation set last_row_id = $4, visited = $5, rewritten = $6 ' +
          'where key_id = $1 and table_name = $2 and column_name = $3',
        values: [...this.key({ table, column }), last.id, progress.visited, progress.rewritten],
      });
      this.options.onProgress?.(progress);
      return rows.length === size;
    });
  }

  private async rewrite({ table, column }: EncryptedColumn, id: string, sealed: Buffer): Promise<boolean> {
    const location = { table, column, rowId: id };
    let clear: Buffer;
    try {
      clear = this.cipher.open(location, sealed); // the ones under the current key too: this proves them readable
    } catch (error) {
      if (!(error instanceof FieldCipherError)) throw error;
      if (this.failures.size < MAX_FAILURES_TOLD) this.failures.add(error.message);
      return false;
    }
    if (sealed.indexOf(headerOf(this.keyId)) === 0) return false;
    await this.database.write(SYSTEM, {
      text: `update ${table} set ${column} = $2 where id = $1`,
      values: [id, this.cipher.seal(location, clear)],
    });
    return true;
  }

  /** Rows that are not under the current key. */
  private async remaining({ table, column }: EncryptedColumn): Promise<number> {
    const header = headerOf(this.keyId);
    const [row] = await this.database.read<{ count: number }>(SYSTEM, {
      text: `select count(*)::int as count from ${table} where substring(${column} from 1 for $1) <> $2`,
      values: [header.length, header],
    });
    return row?.count ?? 0;
  }

  private async startOver(column: EncryptedColumn): Promise<void> {
    await this.database.write(SYSTEM, {
      text:
        'update encryption_rotation set last_row_id = null ' +
        'where key_id = $1 and table_name = $2 and column_name = $3',
      values: this.key(column),
    });
  }

  private async finish(column: EncryptedColumn): Promise<ColumnRotation> {
    const { rows } = await this.database.write<{ visited: number; rewritten: number }>(SYSTEM, {
      text:
        'update encryption_rotation set finished_at = clock_timestamp() ' +
        'where key_id = $1 and table_name = $2 and column_name = $3 returning visited, rewritten',
      values: this.key(column),
    });
    return { ...column, visited: rows[0]?.visited ?? 0, rewritten: rows[0]?.rewritten ?? 0 };
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

  private async hasSecrets({ table, column }: EncryptedColumn): Promise<boolean> {
    const rows = await this.database.read(SYSTEM, {
      text: `select 1 from ${table} where ${column} is not null limit 1`,
    });
    return rows.length > 0;
  }

  private async progress(
    column: EncryptedColumn,
  ): Promise<{ last_row_id: string | null; visited: number; rewritten: number }> {
    const [row] = await this.database.read<{ last_row_id: string | null; visited: number; rewritten: number }>(SYSTEM, {
      text:
        'select last_row_id, visited, rewritten from encryption_rotation ' +
        'where key_id = $1 and table_name = $2 and column_name = $3',
      values: this.key(column),
    });
    if (row === undefined) throw new Error(`There is no note of the rotation of ${column.table}.${column.column}`);
    return row;
  }

  private key({ table, column }: EncryptedColumn): string[] {
    return [this.keyId, table, column];
  }
}

export interface EncryptedColumn {
  table: string;
  column: string;
}

/** Every encrypted column there is, as the entities declare them: nobody has to keep a list. */
export async function encryptedColumns(): Promise<EncryptedColumn[]> {
  // Loaded here alone: the configuration names the migrations, which serving does not need.
  const { MikroORM } = await import('@mikro-orm/postgresql');
  const { ormConfig } = await import('../orm.config.js');
  const orm = new MikroORM(ormConfig()); // discovers; connects to nothing
  return [...orm.getMetadata().getAll().values()].flatMap((entity) =>
    entity.props
      .filter((property) => property.customType instanceof EncryptedType)
      .map((property) => ({ table: entity.tableName, column: property.fieldNames[0] as string })),
  );
}
