import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import { PRIMARY } from '#domain/calendars';
import { SyncedCalendarRepository, type ClaimedSync, type SyncResult } from '#domain/sync';
import { Clock, DomainError, IdGenerator, isUuid, noSuchAccount } from '#domain/system';
import type { MessageTarget, QueuedMessage } from '#domain/webhooks';
import { currentTraceparent } from '#platform/telemetry';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { insertMessages } from './webhook-message.statements.js';
import { sha256 } from '../encryption/hashes.js';
import {
  CLAIM_INITIAL_SYNC,
  CLAIM_SYNCS,
  END_FOR_SUBSCRIBERS,
  END_SYNC,
  EXTEND_SYNC,
  RELEASE_SYNC,
  REQUEST_SYNC,
  REQUEST_SYNC_OF_ACCOUNT,
  REQUEST_SYNC_OF_CALENDAR,
  REQUEST_SYNC_AFTER_GAP,
  WATCH,
} from './synced-calendar.statements.js';

const SYNCS_OF_ACCOUNT = 4;

interface ClaimedSyncRow extends Omit<ClaimedSync, 'leaseId' | 'isPushed' | 'readingPriority'> {
  priority: number | null;
  changedAt: Date;
  isMine: boolean;
}

interface SubscriberRow {
  endpoint_id: string | null;
  event_types: string[] | null;
  enriches_webhooks: boolean;
  change_detected_at: Date | null;
}

interface Subscriber {
  target: MessageTarget;
  eventTypes: string[];
  changeDetectedAt: Date | null;
}

@Injectable()
export class SqlSyncedCalendarRepository extends SyncedCalendarRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async register(
    { applicationId }: ApplicationRef,
    accountId: string,
    calendarId: string,
  ): Promise<{ syncedCalendarId: string }> {
    if (!isUuid(accountId)) throw noSuchAccount();
    const { rows } = await this.database.write<{ id: string }>(tenant(applicationId), {
      text: WATCH,
      values: [applicationId, accountId, this.ids.next(), calendarId, sha256(calendarId), new Date(this.clock.nowMs())],
    });
    if (rows[0] === undefined) throw noSuchAccount();
    return { syncedCalendarId: rows[0].id };
  }

  override async requestSync(syncedCalendarIds: string[], traceparents?: ReadonlyMap<string, string>): Promise<void> {
    const ids = syncedCalendarIds.filter(isUuid);
    if (ids.length === 0) return;
    const values = [ids, ids.map((id) => traceparents?.get(id) ?? null)];
    await this.database.write(SYSTEM, { name: 'synced-calendars-request-sync', text: REQUEST_SYNC, values });
  }

  override async requestSyncAfterGap(syncedCalendarId: string): Promise<void> {
    if (!isUuid(syncedCalendarId)) return;
    await this.database.write(SYSTEM, {
      text: REQUEST_SYNC_AFTER_GAP,
      values: [syncedCalendarId, currentTraceparent()],
    });
  }

  override async requestSyncOfCalendar(
    { applicationId }: ApplicationRef,
    accountId: string,
    calendarId: string,
  ): Promise<boolean> {
    if (!isUuid(accountId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      name: 'synced-calendar-request-sync',
      text: REQUEST_SYNC_OF_CALENDAR,
      // The database does not know which calendar is the primary: all are synced, and the others find no changes.
      values: [applicationId, accountId, calendarId === PRIMARY ? null : sha256(calendarId), currentTraceparent()],
    });
    return count > 0;
  }

  override async requestSyncOfAccount({ applicationId }: ApplicationRef, accountId: string): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.database.write(tenant(applicationId), {
      text: REQUEST_SYNC_OF_ACCOUNT,
      values: [applicationId, accountId, null, currentTraceparent()],
    });
  }

  override async claimSyncs({
    limit,
    leaseMs,
    coalesceMs,
  }: {
    limit: number;
    leaseMs: number;
    coalesceMs: number;
  }): Promise<ClaimedSync[]> {
    const leaseId = randomUUID();
    for (;;) {
      const { rows } = await this.database.write<ClaimedSyncRow>(SYSTEM, {
        name: 'calendar-syncs-claim',
        text: CLAIM_SYNCS,
        values: [limit, leaseId, leaseMs, coalesceMs, SYNCS_OF_ACCOUNT],
      });
      const syncs = rows.filter((row) => row.isMine).map((row) => toClaimedSync(row, leaseId));
      // An empty result must mean that no sync is due, not that the first few accounts have reached their limit.
      if (syncs.length > 0 || rows.length < limit) return syncs;
    }
  }

  override async claimInitialSync(
    { applicationId }: ApplicationRef,
    syncedCalendarId: string,
    leaseMs: number,
  ): Promise<ClaimedSync | 'done' | 'busy'> {
    if (!isUuid(syncedCalendarId)) throw notRegistered();
    const leaseId = randomUUID();
    const { rows } = await this.database.writeRepeatable<ClaimedSyncRow>(tenant(applicationId), {
      text: CLAIM_INITIAL_SYNC,
      values: [applicationId, syncedCalendarId, leaseId, leaseMs],
    });
    if (rows[0] !== undefined) return toClaimedSync(rows[0], leaseId);
    const row = await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .selectFrom('SyncedCalendar')
        .select('syncToken')
        .where('application', '=', applicationId)
        .where('id', '=', syncedCalendarId)
        .executeTakeFirst(),
    );
    if (row === undefined) throw notRegistered();
    return row.syncToken === null ? 'busy' : 'done';
  }

  override async extend({ syncedCalendarId, leaseId }: ClaimedSync, leaseMs: number): Promise<boolean> {
    const { count } = await this.database.write(SYSTEM, {
      text: EXTEND_SYNC,
      values: [syncedCalendarId, leaseId, leaseMs],
    });
    return count > 0;
  }

  override async complete(
    sync: ClaimedSync,
    { syncToken, nextSyncInMs, compose }: SyncResult,
  ): Promise<QueuedMessage[] | null> {
    const seen = { syncToken };
    if (compose === null) return (await this.end(sync, nextSyncInMs, seen)) ? [] : null;
    return this.database.transaction(SYSTEM, async () => {
      const subscribers = await this.endForSubscribers(sync, nextSyncInMs, seen);
      if (subscribers === null) return null;
      const traceparent = currentTraceparent();
      const { applicationId, accountId } = sync;
      const messages = subscribers.flatMap(({ target, eventTypes, changeDetectedAt }) => {
        const message = compose(target);
        if (!eventTypes.includes(message.eventType)) return [];
        return [{ ...message, ...target, applicationId, accountId, traceparent, changeDetectedAt }];
      });
      await insertMessages(this.database, SYSTEM, messages);
      return messages.map(({ id, endpointId }) => ({ id, endpointId }));
    });
  }

  override async defer(sync: ClaimedSync, inMs: number): Promise<boolean> {
    return this.end(sync, inMs, null);
  }

  override async release({ syncedCalendarId, leaseId, traceparent }: ClaimedSync): Promise<boolean> {
    const { count } = await this.database.write(SYSTEM, {
      text: RELEASE_SYNC,
      values: [syncedCalendarId, leaseId, traceparent],
    });
    return count > 0;
  }

  /** Returns null when the lease is lost. */
  private async endForSubscribers(
    sync: ClaimedSync,
    inMs: number,
    seen: { syncToken: string | null },
  ): Promise<Subscriber[] | null> {
    const { rows } = await this.database.write<SubscriberRow>(SYSTEM, {
      name: 'calendar-sync-end-for-subscribers',
      text: END_FOR_SUBSCRIBERS,
      values: [...endValues(sync, inMs, seen), true],
    });
    if (rows.length === 0) return null;
    return rows.flatMap(({ endpoint_id: endpointId, enriches_webhooks: isEnriched, ...row }) => {
      if (endpointId === null) return [];
      const target = { id: this.ids.next(), endpointId, isEnriched };
      return [{ target, eventTypes: row.event_types ?? [], changeDetectedAt: row.change_detected_at }];
    });
  }

  private async end(sync: ClaimedSync, inMs: number, seen: { syncToken: string | null } | null): Promise<boolean> {
    const { count } = await this.database.write(SYSTEM, {
      name: 'calendar-sync-end',
      text: END_SYNC,
      values: [...endValues(sync, inMs, seen), false],
    });
    return count > 0;
  }
}

function endValues(
  { syncedCalendarId, leaseId, syncRequests }: ClaimedSync,
  inMs: number,
  seen: { syncToken: string | null } | null,
): unknown[] {
  return [syncedCalendarId, leaseId, syncRequests, inMs, seen !== null, seen?.syncToken ?? null];
}

function toClaimedSync({ isMine: _, priority, changedAt, ...sync }: ClaimedSyncRow, leaseId: string): ClaimedSync {
  const readingPriority = priority === null ? null : { priority, changedAt };
  return { ...sync, leaseId, isPushed: priority !== null, readingPriority };
}

function notRegistered(): DomainError {
  return new DomainError('NotFound', 'The calendar is not watched.');
}
