import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { SyncSnapshotStore, type SyncSnapshot } from '#domain/sync';
import { Clock, IdGenerator, isUuid, noSuchAccount } from '#domain/system';
import { isLost, onceMore } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { EntityManagers, type EntityTables } from '../database/entity-managers.js';
import { tenant } from '../database/scope.js';
import { sha256 } from '../encryption/hashes.js';
import { SAVE_SNAPSHOT } from './calendars.statements.js';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

type CalendarScope = { applicationId: string; accountId: string; calendarId: string };

/** Each syncing client and each windowed read holds one: a sync token survives this many reads by others. */
export const SNAPSHOTS_PER_CALENDAR = 256;
export const SNAPSHOT_DAYS = 30;
const DAY_MS = 86_400_000;

@Injectable()
export class SqlSyncSnapshotStore extends SyncSnapshotStore {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async save(scope: CalendarScope, snapshot: SyncSnapshot): Promise<string> {
    const { applicationId, accountId, calendarId } = scope;
    if (!isUuid(accountId)) throw noSuchAccount();
    const calendar = sha256(calendarId);
    const id = this.ids.next();
    const entries = await pack(snapshot);
    const { count } = await this.database.writeRepeatable(tenant(applicationId), {
      ...SAVE_SNAPSHOT,
      values: [applicationId, accountId, id, calendar, snapshot.changeTag, entries, this.now(), SNAPSHOTS_PER_CALENDAR],
    });
    if (count === 0) throw noSuchAccount();
    return id;
  }

  override async replace(scope: CalendarScope, snapshotId: string, snapshot: SyncSnapshot): Promise<boolean> {
    if (!isUuid(scope.accountId) || !isUuid(snapshotId)) return false;
    const changes = { changeTag: snapshot.changeTag, entries: await pack(snapshot) };
    const { numUpdatedRows } = await this.#query(scope.applicationId, (tables) =>
      used(tables, scope, snapshotId, this.now()).set(changes).executeTakeFirst(),
    );
    return numUpdatedRows > 0n;
  }

  override async find(scope: CalendarScope, snapshotId: string): Promise<SyncSnapshot | null> {
    if (!isUuid(scope.accountId) || !isUuid(snapshotId)) return null;
    const row = await this.#query(scope.applicationId, (tables) =>
      used(tables, scope, snapshotId, this.now()).returning(['changeTag', 'entries']).executeTakeFirst(),
    );
    if (row === undefined) return null;
    return { entries: await unpack(row.entries), changeTag: row.changeTag };
  }

  /** Retries on a lost connection: all statements are idempotent. */
  #query<T>(applicationId: string, work: (tables: Kysely<EntityTables>) => Promise<T>): Promise<T> {
    return onceMore(isLost, () => this.entities.query(tenant(applicationId), work));
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }
}

/** Marks a snapshot as used unless it has expired. */
function used(
  tables: Kysely<EntityTables>,
  { applicationId, accountId, calendarId }: CalendarScope,
  snapshotId: string,
  usedAt: Date,
) {
  return tables
    .updateTable('SyncSnapshot')
    .set({ usedAt })
    .where('application', '=', applicationId)
    .where('endUserAccount', '=', accountId)
    .where('calendarHash', '=', sha256(calendarId))
    .where('id', '=', snapshotId)
    .where('usedAt', '>', new Date(usedAt.getTime() - SNAPSHOT_DAYS * DAY_MS));
}

async function pack({ entries }: SyncSnapshot): Promise<Buffer> {
  return deflate(Buffer.from(JSON.stringify(entries), 'utf8'));
}

async function unpack(packed: Buffer): Promise<Record<string, string>> {
  return JSON.parse((await inflate(packed)).toString('utf8')) as Record<string, string>;
}
