import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import {
  ProviderChannelRepository,
  type ChannelToken,
  type ClaimedReconciliation,
  type ProviderChannel,
} from '#domain/channels';
import { Clock, IdGenerator, isUuid } from '#domain/system';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant, type Scope } from '../database/scope.js';
import { readable, FieldCipher, type FieldLocation } from '../encryption/field-cipher.js';
import { ProviderChannelEntity } from '../entities/calendars.entities.js';
import {
  CLOSE,
  COMPLETE_RECONCILIATION,
  FORGET,
  HEARD,
  KEYS,
  LEASE_DUE,
  LEASE_OF_ACCOUNT,
  LEASE_ONE,
  LOCK_CALENDAR,
  LOCK_HELD,
  LOSE,
  MAKE_LIVE,
  OF_CALENDARS,
  OPEN,
  RENEW_SOON,
  SILENT,
} from './provider-channel.statements.js';

type ReconciliationRow = Omit<ClaimedReconciliation, 'leaseId' | 'channels'>;

interface ChannelRow extends Omit<ProviderChannel, 'token' | 'isMissingNotifications'> {
  syncedCalendarId: string;
  token: Buffer;
  missedNotifications: number;
}

/** Consecutive missed notifications that mark a channel as silent. A single one may have crossed its notification. */
export const MISSING_AFTER = 2;
const SAME_DEMAND_MS = 60_000;

@Injectable()
export class SqlProviderChannelRepository extends ProviderChannelRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly cipher: FieldCipher,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async claimReconciliations({
    limit,
    leaseMs,
  }: {
    limit: number;
    leaseMs: number;
  }): Promise<ClaimedReconciliation[]> {
    return this.lease(SYSTEM, leaseMs, LEASE_DUE, [limit]);
  }

  override async claimReconciliation(
    { applicationId }: ApplicationRef,
    syncedCalendarId: string,
    leaseMs: number,
  ): Promise<ClaimedReconciliation | null> {
    if (!isUuid(syncedCalendarId)) return null;
    const [reconciliation] = await this.lease(tenant(applicationId), leaseMs, LEASE_ONE, [
      applicationId,
      syncedCalendarId,
    ]);
    return reconciliation ?? null;
  }

  override async isRegistered({ applicationId }: ApplicationRef, syncedCalendarId: string): Promise<boolean> {
    if (!isUuid(syncedCalendarId)) return false;
    const row = await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .selectFrom('SyncedCalendar')
        .select('id')
        .where('application', '=', applicationId)
        .where('id', '=', syncedCalendarId)
        .executeTakeFirst(),
    );
    return row !== undefined;
  }

  override async claimReconciliationsOfAccount(
    { applicationId }: ApplicationRef,
    accountId: string,
    leaseMs: number,
  ): Promise<ClaimedReconciliation[]> {
    if (!isUuid(accountId)) return [];
    return this.lease(tenant(applicationId), leaseMs, LEASE_OF_ACCOUNT, [applicationId, accountId]);
  }

  override async open(
    { applicationId, syncedCalendarId, leaseId }: ClaimedReconciliation,
    { token }: { token: string },
  ): Promise<{ channelId: string } | null> {
    const id = this.ids.next();
    const { count } = await this.database.write(tenant(applicationId), {
      text: OPEN,
      values: [
        applicationId,
        syncedCalendarId,
        leaseId,
        id,
        this.cipher.seal(location(id), Buffer.from(token, 'utf8')),
        new Date(this.clock.nowMs()),
      ],
    });
    return count > 0 ? { channelId: id } : null;
  }

  override async live(
    reconciliation: ClaimedReconciliation,
    channelId: string,
    {
      subscriptionId,
      resourceId,
      expiresAt,
      renewAt,
    }: Pick<ProviderChannel, 'subscriptionId' | 'resourceId'> & { expiresAt: Date; renewAt: Date },
  ): Promise<boolean> {
    const { applicationId: application, syncedCalendarId: syncedCalendar } = reconciliation;
    const scope = tenant(application);
    return this.database.transaction(scope, async () => {
      if (!(await this.lockHeld(scope, reconciliation, channelId))) return false;
      // First, so that a calendar never has two live channels.
      await this.entities.within(scope, (em) =>
        em.nativeUpdate(
          ProviderChannelEntity,
          { application, syncedCalendar, state: 'live', id: { $ne: channelId } },
          { state: 'closing' },
        ),
      );
      await this.database.write(scope, {
        text: MAKE_LIVE,
        values: [application, channelId, subscriptionId, resourceId, expiresAt, renewAt],
      });
      return true;
    });
  }

  override async closed(
    { applicationId, syncedCalendarId, leaseId }: ClaimedReconciliation,
    channelId: string,
  ): Promise<boolean> {
    if (!isUuid(channelId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text: CLOSE,
      values: [applicationId, syncedCalendarId, leaseId, channelId],
    });
    return count > 0;
  }

  override async completeReconciliation(
    { applicationId, syncedCalendarId, leaseId, asks }: ClaimedReconciliation,
    inMs: number,
    failures = 0,
  ): Promise<boolean> {
    const { count } = await this.database.write(tenant(applicationId), {
      text: COMPLETE_RECONCILIATION,
      values: [applicationId, syncedCalendarId, leaseId, asks, inMs, failures],
    });
    return count > 0;
  }

  override async delete({ applicationId, syncedCalendarId, leaseId, asks }: ClaimedReconciliation): Promise<boolean> {
    const scope = tenant(applicationId);
    return this.database.transaction(scope, async () => {
      // Locks before the check: a concurrent new subscription is either seen or rejected.
      await this.database.write(scope, {
        text: LOCK_CALENDAR,
        values: [applicationId, syncedCalendarId, leaseId],
      });
      const { count } = await this.database.write(scope, {
        text: FORGET,
        values: [applicationId, syncedCalendarId, leaseId, asks],
      });
      return count > 0;
    });
  }

  override async lost(channelId: string): Promise<boolean> {
    if (!isUuid(channelId)) return false;
    const { count } = await this.database.write(SYSTEM, {
      text: LOSE,
      values: [channelId],
    });
    return count > 0;
  }

  override async renewSoon(channelId: string): Promise<boolean> {
    if (!isUuid(channelId)) return false;
    const { count } = await this.database.write(SYSTEM, {
      text: RENEW_SOON,
      values: [channelId, SAME_DEMAND_MS],
    });
    return count > 0;
  }

  override async recordFoundChange(syncedCalendarId: string, wasPushed: boolean): Promise<void> {
    if (!isUuid(syncedCalendarId)) return;
    await this.database.write(SYSTEM, {
      ...(wasPushed ? HEARD : SILENT),
      values: [syncedCalendarId, MISSING_AFTER],
    });
  }

  override async keys(channelIds: string[]): Promise<ChannelToken[]> {
    const ids = channelIds.filter(isUuid);
    if (ids.length === 0) return [];
    const rows = await this.database.read<Pick<ChannelRow, 'syncedCalendarId' | 'token'> & { channelId: string }>(
      SYSTEM,
      { ...KEYS, values: [ids] },
    );
    return rows.flatMap(({ channelId, syncedCalendarId, token: sealed }) => {
      const token = this.openToken({ id: channelId, token: sealed });
      return token === null ? [] : [{ channelId, syncedCalendarId, token }];
    });
  }

  private async lease(
    scope: Scope,
    leaseMs: number,
    statement: string,
    values: unknown[],
  ): Promise<ClaimedReconciliation[]> {
    const leaseId = randomUUID();
    // A repeated claim of due calendars takes others; those of a lost answer are due again after the lease.
    const { rows } = await this.database.writeRepeatable<ReconciliationRow>(scope, {
      text: statement,
      values: [...values, leaseId, leaseMs],
    });
    const channels = await this.channelsOf(
      scope,
      rows.map(({ syncedCalendarId }) => syncedCalendarId),
    );
    return rows.map((row) => ({
      ...row,
      leaseId,
      channels: channels
        .filter(({ syncedCalendarId }) => syncedCalendarId === row.syncedCalendarId)
        .map((channel) => this.toChannel(channel)),
    }));
  }

  private async channelsOf(scope: Scope, syncedCalendarIds: string[]): Promise<ChannelRow[]> {
    if (syncedCalendarIds.length === 0) return [];
    return this.database.read<ChannelRow>(scope, {
      ...OF_CALENDARS,
      values: [scope === SYSTEM ? null : scope.setting, syncedCalendarIds],
    });
  }

  private async lockHeld(scope: Scope, reconciliation: ClaimedReconciliation, channelId: string): Promise<boolean> {
    if (!isUuid(channelId)) return false;
    const { count } = await this.database.write(scope, {
      text: LOCK_HELD,
      values: [reconciliation.applicationId, reconciliation.syncedCalendarId, reconciliation.leaseId, channelId],
    });
    return count > 0;
  }

  /** An unreadable token makes the channel silent: no notification can be verified with it. */
  private toChannel({
    token: sealed,
    missedNotifications,
    syncedCalendarId: _,
    ...channel
  }: ChannelRow): ProviderChannel {
    const token = this.openToken({ id: channel.id, token: sealed });
    return {
      ...channel,
      token: token ?? '',
      isMissingNotifications: token === null || missedNotifications >= MISSING_AFTER,
    };
  }

  private openToken({ id, token }: Pick<ChannelRow, 'id' | 'token'>): string | null {
    return readable(() => this.cipher.open(location(id), token).toString('utf8'));
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'provider_channel', column: 'token', rowId };
}
