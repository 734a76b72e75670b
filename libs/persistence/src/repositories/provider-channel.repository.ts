import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  Clock,
  Ids,
  ProviderChannelRepository,
  isUuid,
  type ApplicationRef,
  type ChannelKey,
  type ChannelUpkeep,
  type ProviderChannel,
  type ProviderType,
} from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM, tenant, type Scope } from '../database/scope.js';
import { readable, FieldCipher, type FieldLocation } from '../encryption/field-cipher.js';
import { ASK_UPKEEP, DUE_UPKEEP, LOOK_SOON } from './watched-calendar.statements.js';

interface UpkeepRow {
  id: string;
  asks: string;
  failures: number;
  application_id: string;
  account_id: string;
  calendar_id: string;
  provider_type: ProviderType;
  is_wanted: boolean;
  is_active: boolean;
}

interface ChannelRow {
  id: string;
  watched_calendar_id: string;
  token: Buffer;
  state: ProviderChannel['state'];
  subscription_id: string | null;
  resource_id: string | null;
  expires_at: Date | null;
  renew_at: Date | null;
  silent_finds: number;
  created_at: Date;
}

/** Finds in a row that make a channel a silent one. One alone may have crossed its push on the way. */
export const SILENT_AFTER = 2;
/** How long a repeated demand for renewal is the same one, milliseconds. */
const SAME_DEMAND_MS = 60_000;

@Injectable()
export class SqlProviderChannelRepository extends ProviderChannelRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async claimUpkeep({ limit, leaseMs }: { limit: number; leaseMs: number }): Promise<ChannelUpkeep[]> {
    return this.lease(SYSTEM, leaseMs, DUE_UPKEEP, [limit]);
  }

  override async takeUpkeep(
    { applicationId }: ApplicationRef,
    watchedCalendarId: string,
    leaseMs: number,
  ): Promise<ChannelUpkeep | null> {
    if (!isUuid(watchedCalendarId)) return null;
    const free =
      'select id from watched_calendar where application_id = $1 and id = $2 ' +
      'and (upkeep_lease_id is null or upkeep_at <= clock_timestamp()) for update';
    const [upkeep] = await this.lease(tenant(applicationId), leaseMs, free, [applicationId, watchedCalendarId]);
    return upkeep ?? null;
  }

  override async takeAccountUpkeep(
    { applicationId }: ApplicationRef,
    accountId: string,
    leaseMs: number,
  ): Promise<ChannelUpkeep[]> {
    if (!isUuid(accountId)) return [];
    const free =
      'select id from watched_calendar w where application_id = $1 and end_user_account_id = $2 ' +
      'and (upkeep_lease_id is null or upkeep_at <= clock_timestamp()) ' +
      'and exists (select from provider_channel c where c.watched_calendar_id = w.id) ' +
      'order by id for update skip locked';
    return this.lease(tenant(applicationId), leaseMs, free, [applicationId, accountId]);
  }

  override async open(
    { applicationId, watchedCalendarId, leaseId }: ChannelUpkeep,
    { token }: { token: string },
  ): Promise<{ channelId: string } | null> {
    const id = this.ids.next();
    const { count } = await this.database.write(tenant(applicationId), {
      text:
        'insert into provider_channel (application_id, watched_calendar_id, id, token, state, created_at) ' +
        `select application_id, id, $4, $5, 'opening', $6 from watched_calendar ${HELD} for share`,
      values: [
        applicationId,
        watchedCalendarId,
        leaseId,
        id,
        this.cipher.seal(location(id), Buffer.from(token, 'utf8')),
        new Date(this.clock.nowMs()),
      ],
    });
    return count > 0 ? { channelId: id } : null;
  }

  override async live(
    upkeep: ChannelUpkeep,
    channelId: string,
    {
      subscriptionId,
      resourceId,
      expiresAt,
      renewAt,
    }: Pick<ProviderChannel, 'subscriptionId' | 'resourceId'> & { expiresAt: Date; renewAt: Date },
  ): Promise<boolean> {
    const scope = tenant(upkeep.applicationId);
    return this.database.transaction(scope, async () => {
      if (!(await this.lockHeld(scope, upkeep, channelId))) return false;
      // First, so that there are never two live ones.
      await this.database.write(scope, {
        text:
          "update provider_channel set state = 'closing' where application_id = $1 and watched_calendar_id = $2 " +
          "and state = 'live' and id <> $3",
        values: [upkeep.applicationId, upkeep.watchedCalendarId, channelId],
      });
      await this.database.write(scope, {
        text:
          "update provider_channel set state = 'live', subscription_id = $3, resource_id = $4, expires_at = $5, " +
          'renew_at = $6, renewed_at = clock_timestamp(), silent_finds = 0 where application_id = $1 and id = $2',
        values: [upkeep.applicationId, channelId, subscriptionId, resourceId, expiresAt, renewAt],
      });
      return true;
    });
  }

  override async closed(
    { applicationId, watchedCalendarId, leaseId }: ChannelUpkeep,
    channelId: string,
  ): Promise<boolean> {
    if (!isUuid(channelId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text:
        'delete from provider_channel c where application_id = $1 and watched_calendar_id = $2 and c.id = $4 ' +
        `and exists (select from watched_calendar ${HELD})`,
      values: [applicationId, watchedCalendarId, leaseId, channelId],
    });
    return count > 0;
  }

  override async finishUpkeep(
    { applicationId, watchedCalendarId, leaseId, asks }: ChannelUpkeep,
    inMs: number,
    failures = 0,
  ): Promise<boolean> {
    const { count } = await this.database.write(tenant(applicationId), {
      text:
        'update watched_calendar set upkeep_lease_id = null, upkeep_failures = $6, upkeep_at = clock_timestamp() + ' +
        `case when upkeep_asks = $4::bigint then $5 else 0 end * interval '1 ms' ${HELD}`,
      values: [applicationId, watchedCalendarId, leaseId, asks, inMs, failures],
    });
    return count > 0;
  }

  override async forget({ applicationId, watchedCalendarId, leaseId, asks }: ChannelUpkeep): Promise<boolean> {
    const scope = tenant(applicationId);
    return this.database.transaction(scope, async () => {
      // Locked before it is asked: a subscription that is made meanwhile is either seen or refused.
      await this.database.write(scope, {
        text: `select from watched_calendar ${HELD} for update`,
        values: [applicationId, watchedCalendarId, leaseId],
      });
      const { count } = await this.database.write(scope, {
        text:
          `delete from watched_calendar w ${HELD} and upkeep_asks = $4::bigint ` +
          'and not exists (select from webhook_endpoint e where e.watched_calendar_id = w.id) ' +
          'and not exists (select from provider_channel c where c.watched_calendar_id = w.id)',
        values: [applicationId, watchedCalendarId, leaseId, asks],
      });
      return count > 0;
    });
  }

  override async lost(channelId: string): Promise<boolean> {
    if (!isUuid(channelId)) return false;
    const { count } = await this.database.write(SYSTEM, {
      text:
        "with gone as (delete from provider_channel where id = $1 and state = 'live' returning watched_calendar_id) " +
        `update watched_calendar w set hints = w.hints + 1, ${LOOK_SOON}, ${ASK_UPKEEP} from gone ` +
        'where w.id = gone.watched_calendar_id',
      values: [channelId],
    });
    return count > 0;
  }

  override async renewSoon(channelId: string): Promise<boolean> {
    if (!isUuid(channelId)) return false;
    const { count } = await this.database.write(SYSTEM, {
      text:
        'with demanded as (update provider_channel set renew_at = clock_timestamp() ' +
        "where id = $1 and state = 'live' and renewed_at < clock_timestamp() - $2 * interval '1 ms' " +
        'returning watched_calendar_id) ' +
        `update watched_calendar w set ${ASK_UPKEEP} from demanded where w.id = demanded.watched_calendar_id`,
      values: [channelId, SAME_DEMAND_MS],
    });
    return count > 0;
  }

  override async noteFind(watchedCalendarId: string, wasPushed: boolean): Promise<void> {
    if (!isUuid(watchedCalendarId)) return;
    await this.database.write(SYSTEM, {
      name: wasPushed ? 'channel-heard' : 'channel-silent',
      text: wasPushed ? HEARD : SILENT,
      values: wasPushed ? [watchedCalendarId] : [watchedCalendarId, SILENT_AFTER],
    });
  }

  override async keys(channelIds: string[]): Promise<ChannelKey[]> {
    const ids = channelIds.filter(isUuid);
    if (ids.length === 0) return [];
    const rows = await this.database.read<Pick<ChannelRow, 'id' | 'watched_calendar_id' | 'token'>>(SYSTEM, {
      name: 'channel-keys',
      text: 'select id, watched_calendar_id, token from provider_channel where id = any($1)',
      values: [ids],
    });
    return rows.flatMap((row) => {
      const token = this.openToken(row);
      return token === null ? [] : [{ channelId: row.id, watchedCalendarId: row.watched_calendar_id, token }];
    });
  }

  /** Leases the calendars that `which` chooses. */
  private async lease(scope: Scope, leaseMs: number, which: string, values: unknown[]): Promise<ChannelUpkeep[]> {
    const leaseId = randomUUID();
    const { rows } = await this.database.write<UpkeepRow>(scope, {
      text: `with chosen as materialized (${which}) ${leaseBy(values.length + 1)}`,
      values: [...values, leaseId, leaseMs],
    });
    const ids = rows.map(({ id }) => id);
    const channels = await this.channelsOf(scope, ids);
    return rows.map((row) => ({
      watchedCalendarId: row.id,
      leaseId,
      asks: row.asks,
      failures: row.failures,
      applicationId: row.application_id,
      accountId: row.account_id,
      calendarId: row.calendar_id,
      providerType: row.provider_type,
      isWanted: row.is_wanted,
      isActive: row.is_active,
      channels: channels
        .filter((channel) => channel.watched_calendar_id === row.id)
        .map((channel) => this.toChannel(channel)),
    }));
  }

  private async channelsOf(scope: Scope, watchedCalendarIds: string[]): Promise<ChannelRow[]> {
    if (watchedCalendarIds.length === 0) return [];
    return this.database.read<ChannelRow>(scope, {
      name: 'channels-of-calendars',
      text:
        'select id, watched_calendar_id, token, state, subscription_id, resource_id, expires_at, renew_at, ' +
        'silent_finds, created_at ' +
        'from provider_channel where (application_id = $1 or $1::uuid is null) and watched_calendar_id = any($2) ' +
        'order by id',
      values: [scope === SYSTEM ? null : scope.setting, watchedCalendarIds],
    });
  }

  private async lockHeld(scope: Scope, upkeep: ChannelUpkeep, channelId: string): Promise<boolean> {
    if (!isUuid(channelId)) return false;
    const { count } = await this.database.write(scope, {
      text:
        'select from provider_channel c where application_id = $1 and watched_calendar_id = $2 and c.id = $4 ' +
        `and exists (select from watched_calendar ${HELD} for share) for update`,
      values: [upkeep.applicationId, upkeep.watchedCalendarId, upkeep.leaseId, channelId],
    });
    return count > 0;
  }

  /** A token that cannot be read makes no push genuine. */
  private toChannel(row: ChannelRow): ProviderChannel {
    const token = this.openToken(row);
    return {
      id: row.id,
      token: token ?? '',
      state: row.state,
      subscriptionId: row.subscription_id,
      resourceId: row.resource_id,
      expiresAt: row.expires_at,
      renewAt: row.renew_at,
      isSilent: token === null || row.silent_finds >= SILENT_AFTER,
      createdAt: row.created_at,
    };
  }

  private openToken({ id, token }: Pick<ChannelRow, 'id' | 'token'>): string | null {
    return readable(() => this.cipher.open(location(id), token).toString('utf8'));
  }
}

/** The watched calendar $2, as long as its upkeep is under the lease $3. */
const HELD = 'where application_id = $1 and id = $2 and upkeep_lease_id = $3';

const HEARD =
  'update provider_channel set silent_finds = 0 ' +
  "where watched_calendar_id = $1 and state = 'live' and silent_finds > 0";
/** $2: finds that ask for upkeep; those after them have nothing to add. */
const SILENT = `
  with silent as (
    update provider_channel set silent_finds = silent_finds + 1
     where watched_calendar_id = $1 and state = 'live' and silent_finds < $2
    returning watched_calendar_id, silent_finds
  )
  update watched_calendar w set ${ASK_UPKEEP} from silent where w.id = silent.watched_calendar_id and silent.silent_finds = $2`;

/** Two parameters: the lease, and its length in milliseconds. */
const leaseBy = (first: number) =>
  `update watched_calendar w set upkeep_lease_id = $${first}, ` +
  `upkeep_at = clock_timestamp() + $${first + 1} * interval '1 ms' ` +
  'from chosen, end_user_account a where w.id = chosen.id and a.id = w.end_user_account_id ' +
  'returning w.id, w.upkeep_asks::text as asks, w.upkeep_failures as failures, w.application_id, a.id as account_id, w.calendar_id, a.provider_type, ' +
  'exists (select from webhook_endpoint e where e.watched_calendar_id = w.id) as is_wanted, ' +
  "a.status = 'ACTIVE' as is_active";

function location(rowId: string): FieldLocation {
  return { table: 'provider_channel', column: 'token', rowId };
}
