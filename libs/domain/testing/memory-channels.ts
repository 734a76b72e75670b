import { randomUUID } from 'node:crypto';
import {
  ProviderChannelRepository,
  WatchedCalendarRepository,
  type ApplicationRef,
  type ChannelUpkeep,
  type Clock,
  type ProviderChannel,
} from '#domain';
import type { MemoryAccounts } from './memory-accounts.js';

interface WatchedRow {
  id: string;
  applicationId: string;
  accountId: string;
  calendarId: string;
  hints: number;
  asks: number;
  upkeepAtMs: number;
  leaseId: string | null;
  failures: number;
  channels: ProviderChannel[];
  /** How many subscriptions it has. */
  subscriptions: number;
}

/** Watched calendars, as far as hints go. */
class MemoryWatchedCalendars extends WatchedCalendarRepository {
  readonly rows = new Map<string, WatchedRow>();

  constructor(private readonly clock: Clock) {
    super();
  }

  override async watch({ applicationId }: ApplicationRef, accountId: string, calendarId: string) {
    const known = [...this.rows.values()].find((row) => row.accountId === accountId && row.calendarId === calendarId);
    const id = known?.id ?? randomUUID();
    this.rows.set(id, {
      ...{ id, applicationId, accountId, calendarId, hints: 0, asks: 0, leaseId: null, failures: 0, channels: [] },
      ...{ upkeepAtMs: this.clock.nowMs() + 60_000, subscriptions: 0 },
      ...known,
    });
    return { watchedCalendarId: id };
  }

  override async hint(watchedCalendarIds: string[]): Promise<void> {
    for (const id of watchedCalendarIds) this.rows.get(id)!.hints += 1;
  }

  override async lookAnew(watchedCalendarId: string): Promise<void> {
    this.rows.get(watchedCalendarId)!.hints += 1;
  }

  override async hintAccount(_application: ApplicationRef, accountId: string): Promise<void> {
    for (const row of this.rows.values()) {
      if (row.accountId !== accountId) continue;
      row.hints += 1;
      this.ask(row);
    }
  }

  ask(row: WatchedRow): void {
    row.asks += 1;
    if (row.leaseId === null) row.upkeepAtMs = this.clock.nowMs();
  }

  override hintCalendar(): never {
    throw new Error('no writes here');
  }

  override claimLooks(): never {
    throw new Error('no looks here');
  }

  override claimFirstLook(): never {
    throw new Error('no looks here');
  }

  override extendLook(): never {
    throw new Error('no looks here');
  }

  override finishLook(): never {
    throw new Error('no looks here');
  }

  override putOffLook(): never {
    throw new Error('no looks here');
  }

  override giveBackLook(): never {
    throw new Error('no looks here');
  }
}

/** Channels under leases, as the database has them. */
export class MemoryChannels extends ProviderChannelRepository {
  readonly calendars: MemoryWatchedCalendars;

  constructor(
    private readonly accounts: MemoryAccounts,
    private readonly clock: Clock,
  ) {
    super();
    this.calendars = new MemoryWatchedCalendars(clock);
  }

  /** Of one calendar. */
  of(watchedCalendarId: string): ProviderChannel[] {
    return this.calendars.rows.get(watchedCalendarId)?.channels ?? [];
  }

  override async claimUpkeep({ limit, leaseMs }: { limit: number; leaseMs: number }): Promise<ChannelUpkeep[]> {
    const due = [...this.calendars.rows.values()].filter((row) => row.upkeepAtMs <= this.clock.nowMs());
    return due.slice(0, limit).map((row) => this.lease(row, leaseMs));
  }

  override async takeUpkeep(
    { applicationId }: ApplicationRef,
    watchedCalendarId: string,
    leaseMs: number,
  ): Promise<ChannelUpkeep | null> {
    const row = this.calendars.rows.get(watchedCalendarId);
    return row?.applicationId === applicationId && this.isFree(row) ? this.lease(row, leaseMs) : null;
  }

  override async takeAccountUpkeep(_application: ApplicationRef, accountId: string, leaseMs: number) {
    return [...this.calendars.rows.values()]
      .filter((row) => row.accountId === accountId && row.channels.length > 0 && this.isFree(row))
      .map((row) => this.lease(row, leaseMs));
  }

  override async open(upkeep: ChannelUpkeep, { token }: { token: string }): Promise<{ channelId: string } | null> {
    const row = this.held(upkeep);
    if (row === undefined) return null;
    const createdAt = new Date(this.clock.nowMs());
    const unknown = { subscriptionId: null, resourceId: null, expiresAt: null, renewAt: null };
    const id = randomUUID();
    row.channels.push({ id, token, state: 'opening', ...unknown, isSilent: false, createdAt });
    return { channelId: id };
  }

  override async live(
    upkeep: ChannelUpkeep,
    channelId: string,
    facts: Pick<ProviderChannel, 'subscriptionId' | 'resourceId'> & { expiresAt: Date; renewAt: Date },
  ): Promise<boolean> {
    const row = this.held(upkeep);
    if (row?.channels.some(({ id }) => id === channelId) !== true) return false;
    row.channels = row.channels.map((channel): ProviderChannel => {
      if (channel.id === channelId) return { ...channel, ...facts, state: 'live', isSilent: false };
      return channel.state === 'live' ? { ...channel, state: 'closing' } : channel;
    });
    return true;
  }

  override async closed(upkeep: ChannelUpkeep, channelId: string): Promise<boolean> {
    const row = this.held(upkeep);
    const isThere = row?.channels.some(({ id }) => id === channelId) === true;
    if (isThere) row.channels = row.channels.filter(({ id }) => id !== channelId);
    return isThere;
  }

  override async finishUpkeep(upkeep: ChannelUpkeep, inMs: number, failures = 0): Promise<boolean> {
    const row = this.held(upkeep);
    if (row === undefined) return false;
    row.leaseId = null;
    row.failures = failures;
    row.upkeepAtMs = this.clock.nowMs() + (String(row.asks) === upkeep.asks ? inMs : 0);
    return true;
  }

  override async forget(upkeep: ChannelUpkeep): Promise<boolean> {
    const row = this.held(upkeep);
    if (row === undefined || row.subscriptions > 0 || row.channels.length > 0) return false;
    return this.calendars.rows.delete(row.id);
  }

  override async lost(channelId: string): Promise<boolean> {
    const row = this.rowOf(channelId);
    if (row === undefined) return false;
    row.channels = row.channels.filter(({ id }) => id !== channelId);
    row.hints += 1;
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

  override noteFind(): never {
    throw new Error('no looks here');
  }

  override keys(): never {
    throw new Error('no pushes here');
  }

  private rowOf(channelId: string): WatchedRow | undefined {
    return [...this.calendars.rows.values()].find(({ channels }) => channels.some(({ id }) => id === channelId));
  }

  private isFree({ leaseId, upkeepAtMs }: WatchedRow): boolean {
    return leaseId === null || upkeepAtMs <= this.clock.nowMs();
  }

  private held({ watchedCalendarId, leaseId }: ChannelUpkeep): WatchedRow | undefined {
    const row = this.calendars.rows.get(watchedCalendarId);
    return row?.leaseId === leaseId ? row : undefined;
  }

  private lease(row: WatchedRow, leaseMs: number): ChannelUpkeep {
    const account = this.accounts.rows.get(row.accountId)!;
    row.leaseId = randomUUID();
    row.upkeepAtMs = this.clock.nowMs() + leaseMs;
    return {
      watchedCalendarId: row.id,
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
