import { randomUUID } from 'node:crypto';
import type { ApplicationRef } from '#domain/applications';
import { ProviderChannelRepository, type ClaimedReconciliation, type ProviderChannel } from '#domain/channels';
import { SyncedCalendarRepository } from '#domain/sync';
import type { Clock } from '#domain/system';
import type { MemoryAccounts } from './memory-accounts.js';

interface SyncedCalendarRow {
  id: string;
  applicationId: string;
  accountId: string;
  calendarId: string;
  syncRequests: number;
  asks: number;
  reconcileAtMs: number;
  leaseId: string | null;
  failures: number;
  channels: ProviderChannel[];
  /** How many subscriptions it has. */
  subscriptions: number;
}

/** Watched calendars, as far as hints go. */
class MemorySyncedCalendars extends SyncedCalendarRepository {
  readonly rows = new Map<string, SyncedCalendarRow>();

  constructor(private readonly clock: Clock) {
    super();
  }

  override async register({ applicationId }: ApplicationRef, accountId: string, calendarId: string) {
    const known = [...this.rows.values()].find((row) => row.accountId === accountId && row.calendarId === calendarId);
    const id = known?.id ?? randomUUID();
    this.rows.set(id, {
      ...{
        id,
        applicationId,
        accountId,
        calendarId,
        syncRequests: 0,
        asks: 0,
        leaseId: null,
        failures: 0,
        channels: [],
      },
      ...{ reconcileAtMs: this.clock.nowMs() + 60_000, subscriptions: 0 },
      ...known,
    });
    return { syncedCalendarId: id };
  }

  override async requestSync(syncedCalendarIds: string[]): Promise<void> {
    for (const id of syncedCalendarIds) this.rows.get(id)!.syncRequests += 1;
  }

  override async requestSyncAfterGap(syncedCalendarId: string): Promise<void> {
    this.rows.get(syncedCalendarId)!.syncRequests += 1;
  }

  override async requestSyncOfAccount(_application: ApplicationRef, accountId: string): Promise<void> {
    for (const row of this.rows.values()) {
      if (row.accountId !== accountId) continue;
      row.syncRequests += 1;
      this.ask(row);
    }
  }

  ask(row: SyncedCalendarRow): void {
    row.asks += 1;
    if (row.leaseId === null) row.reconcileAtMs = this.clock.nowMs();
  }

  override requestSyncOfCalendar(): never {
    throw new Error('no writes here');
  }

  override claimSyncs(): never {
    throw new Error('no looks here');
  }

  override claimInitialSync(): never {
    throw new Error('no looks here');
  }

  override extend(): never {
    throw new Error('no looks here');
  }

  override complete(): never {
    throw new Error('no looks here');
  }

  override defer(): never {
    throw new Error('no looks here');
  }

  override release(): never {
    throw new Error('no looks here');
  }
}

/** Channels under leases, as the database has them. */
export class MemoryChannels extends ProviderChannelRepository {
  readonly calendars: MemorySyncedCalendars;

  constructor(
    private readonly accounts: MemoryAccounts,
    private readonly clock: Clock,
  ) {
    super();
    this.calendars = new MemorySyncedCalendars(clock);
  }

  /** Of one calendar. */
  of(syncedCalendarId: string): ProviderChannel[] {
    return this.calendars.rows.get(syncedCalendarId)?.channels ?? [];
  }

  override async claimReconciliations({
    limit,
    leaseMs,
  }: {
    limit: number;
    leaseMs: number;
  }): Promise<ClaimedReconciliation[]> {
    const due = [...this.calendars.rows.values()].filter((row) => row.reconcileAtMs <= this.clock.nowMs());
    return due.slice(0, limit).map((row) => this.lease(row, leaseMs));
  }

  override async claimReconciliation(
    { applicationId }: ApplicationRef,
    syncedCalendarId: string,
    leaseMs: number,
  ): Promise<ClaimedReconciliation | null> {
    const row = this.calendars.rows.get(syncedCalendarId);
    return row?.applicationId === applicationId && this.isFree(row) ? this.lease(row, leaseMs) : null;
  }

  override async isRegistered({ applicationId }: ApplicationRef, syncedCalendarId: string): Promise<boolean> {
    return this.calendars.rows.get(syncedCalendarId)?.applicationId === applicationId;
  }

  override async claimReconciliationsOfAccount(_application: ApplicationRef, accountId: string, leaseMs: number) {
    return [...this.calendars.rows.values()]
      .filter((row) => row.accountId === accountId && row.channels.length > 0 && this.isFree(row))
      .map((row) => this.lease(row, leaseMs));
  }

  override async open(
    reconciliation: ClaimedReconciliation,
    { token }: { token: string },
  ): Promise<{ channelId: string } | null> {
    const row = this.held(reconciliation);
    if (row === undefined) return null;
    const createdAt = new Date(this.clock.nowMs());
    const unknown = { subscriptionId: null, resourceId: null, expiresAt: null, renewAt: null };
    const id = randomUUID();
    row.channels.push({ id, token, state: 'opening', ...unknown, isMissingNotifications: false, createdAt });
    return { channelId: id };
  }

  override async live(
    reconciliation: ClaimedReconciliation,
    channelId: string,
    facts: Pick<ProviderChannel, 'subscriptionId' | 'resourceId'> & { expiresAt: Date; renewAt: Date },
  ): Promise<boolean> {
    const row = this.held(reconciliation);
    if (row?.channels.some(({ id }) => id === channelId) !== true) return false;
    row.channels = row.channels.map((channel): ProviderChannel => {
      if (channel.id === channelId) return { ...channel, ...facts, state: 'live', isMissingNotifications: false };
      return channel.state === 'live' ? { ...channel, state: 'closing' } : channel;
    });
    return true;
  }

  override async closed(reconciliation: ClaimedReconciliation, channelId: string): Promise<boolean> {
    const row = this.held(reconciliation);
    const isThere = row?.channels.some(({ id }) => id === channelId) === true;
    if (isThere) row.channels = row.channels.filter(({ id }) => id !== channelId);
    return isThere;
  }

  override async completeReconciliation(
    reconciliation: ClaimedReconciliation,
    inMs: number,
    failures = 0,
  ): Promise<boolean> {
    const row = this.held(reconciliation);
    if (row === undefined) return false;
    row.leaseId = null;
    row.failures = failures;
    row.reconcileAtMs = this.clock.nowMs() + (String(row.asks) === reconciliation.asks ? inMs : 0);
    return true;
  }

  override async delete(reconciliation: ClaimedReconciliation): Promise<boolean> {
    const row = this.held(reconciliation);
    if (row === undefined || row.subscriptions > 0 || row.channels.length > 0) return false;
    return this.calendars.rows.delete(row.id);
  }

  override async lost(channelId: string): Promise<boolean> {
    const row = this.rowOf(channelId);
    if (row === undefined) return false;
    row.channels = row.channels.filter(({ id }) => id !== channelId);
    row.syncRequests += 1;
    this.calendars.ask(row);
    return true;
  }

  override async renewSoon(channelId: string): Promise<boolean> {
    const row = this.rowOf(channelId);
    if (row === undefined) return false;
    const renewAt = new Date(this.clock.nowMs());
    row.channels = row.channels.map((channel) => (channel.id === channelId ? { ...channel, renewAt } : channel));
    this.calendars.ask(row);
    return true;
  }

  override recordFoundChange(): never {
    throw new Error('no looks here');
  }

  override keys(): never {
    throw new Error('no pushes here');
  }

  private rowOf(channelId: string): SyncedCalendarRow | undefined {
    return [...this.calendars.rows.values()].find(({ channels }) => channels.some(({ id }) => id === channelId));
  }

  private isFree({ leaseId, reconcileAtMs }: SyncedCalendarRow): boolean {
    return leaseId === null || reconcileAtMs <= this.clock.nowMs();
  }

  private held({ syncedCalendarId, leaseId }: ClaimedReconciliation): SyncedCalendarRow | undefined {
    const row = this.calendars.rows.get(syncedCalendarId);
    return row?.leaseId === leaseId ? row : undefined;
  }

  private lease(row: SyncedCalendarRow, leaseMs: number): ClaimedReconciliation {
    const account = this.accounts.rows.get(row.accountId)!;
    row.leaseId = randomUUID();
    row.reconcileAtMs = this.clock.nowMs() + leaseMs;
    return {
      syncedCalendarId: row.id,
      leaseId: row.leaseId,
      asks: String(row.asks),
      failures: row.failures,
      applicationId: row.applicationId,
      accountId: row.accountId,
      calendarId: row.calendarId,
      providerType: account.providerType,
      isWanted: row.subscriptions > 0,
      isActive: account.status === 'ACTIVE',
      channels: row.channels.map((channel) => ({ ...channel })),
    };
  }
}
