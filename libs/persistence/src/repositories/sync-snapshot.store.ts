import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Clock, DomainError, Ids, SyncSnapshotStore, isUuid, type SyncSnapshot } from '#domain';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { sha256 } from '../encryption/hashes.js';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

type CalendarScope = { applicationId: string; accountId: string; calendarId: string };

/**
 * Of one calendar. Every client that syncs it, and every read of a window, under way or over, holds one: so many reads by
 * others between two uses of a token are survived.
 */
export const SNAPSHOTS_PER_CALENDAR = 256;
export const SNAPSHOT_DAYS = 30;

@Injectable()
export class SqlSyncSnapshotStore extends SyncSnapshotStore {
  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
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
    await this.database.transaction(tenant(applicationId), async () => {
      const { count } = await this.database.write(tenant(applicationId), {
        text:
          'insert into sync_snapshot (id, application_id, end_user_account_id, calendar_hash, change_tag, entries, ' +
          'used_at) select $3, application_id, id, $4, $5, $6, $7 from end_user_account ' +
          'where application_id = $1 and id = $2 for key share',
        values: [applicationId, accountId, id, calendar, snapshot.changeTag, entries, this.now()],
      });
      if (count === 0) throw noSuchAccount();
      await this.database.write(tenant(applicationId), {
        text:
          'delete from sync_snapshot where application_id = $1 and id in (select id from sync_snapshot ' +
          'where application_id = $1 and end_user_account_id = $2 and calendar_hash = $3 ' +
          `order by used_at desc, id desc offset ${SNAPSHOTS_PER_CALENDAR})`,
        values: [applicationId, accountId, calendar],
      });
    });
    return id;
  }

  override async replace(scope: CalendarScope, snapshotId: string, snapshot: SyncSnapshot): Promise<boolean> {
    const { applicationId, accountId, calendarId } = scope;
    if (!isUuid(accountId) || !isUuid(snapshotId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text:
        'update sync_snapshot set change_tag = $5, entries = $6, used_at = $7 where application_id = $1 ' +
        `and end_user_account_id = $2 and calendar_hash = $3 and id = $4 and ${STILL_KEPT}`,
      values: [
        applicationId,
        accountId,
        sha256(calendarId),
        snapshotId,
        snapshot.changeTag,
        await pack(snapshot),
        this.now(),
      ],
    });
    return count > 0;
  }

  override async find(scope: CalendarScope, snapshotId: string): Promise<SyncSnapshot | null> {
    const { applicationId, accountId, calendarId } = scope;
    if (!isUuid(accountId) || !isUuid(snapshotId)) return null;
    const { rows } = await this.database.write<{ change_tag: string | null; entries: Buffer }>(tenant(applicationId), {
      text:
        'update sync_snapshot set used_at = $5 where application_id = $1 and end_user_account_id = $2 ' +
        `and calendar_hash = $3 and id = $4 and used_at > $5::timestamptz - interval '${SNAPSHOT_DAYS} days' ` +
        'returning change_tag, entries',
      values: [applicationId, accountId, sha256(calendarId), snapshotId, this.now()],
    });
    const [row] = rows;
    if (row === undefined) return null;
    return { entries: await unpack(row.entries), changeTag: row.change_tag };
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }
}

const STILL_KEPT = `used_at > $7::timestamptz - interval '${SNAPSHOT_DAYS} days'`;

async function pack({ entries }: SyncSnapshot): Promise<Buffer> {
  return deflate(Buffer.from(JSON.stringify(entries), 'utf8'));
}

async function unpack(packed: Buffer): Promise<Record<string, string>> {
  return JSON.parse((await inflate(packed)).toString('utf8')) as Record<string, string>;
}

function noSuchAccount(): DomainError {
  return new DomainError('NotFound', 'There is no end user account with this id.');
}
