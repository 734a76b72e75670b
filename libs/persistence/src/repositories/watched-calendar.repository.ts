import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  Clock,
  DomainError,
  Ids,
  PRIMARY,
  WatchedCalendarRepository,
  isUuid,
  noSuchAccount,
  type ApplicationRef,
  type CalendarLook,
  type LookResult,
  type MessageTarget,
  type QueuedMessage,
} from '#domain';
import { currentTraceparent } from '#platform/telemetry';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { insertMessages } from './webhook-message.statements.js';
import { sha256 } from '../encryption/hashes.js';
import {
  CLAIM_FIRST_LOOK,
  CLAIM_LOOKS,
  END_FOR_SUBSCRIBERS,
  END_LOOK,
  EXTEND_LOOK,
  GIVE_BACK_LOOK,
  HINT,
  HINT_ACCOUNT,
  HINT_CALENDAR,
  LOOK_ANEW,
  WATCH,
} from './watched-calendar.statements.js';

const LOOKS_OF_AN_ACCOUNT = 4;

interface LookRow extends Omit<CalendarLook, 'leaseId'> {
  isMine: boolean;
}

interface SubscriberRow {
  endpoint_id: string | null;
  event_types: string[] | null;
  enriches_webhooks: boolean;
  noticed_at: Date | null;
}

interface Subscriber {
  target: MessageTarget;
  eventTypes: string[];
  noticedAt: Date | null;
}

@Injectable()
export class SqlWatchedCalendarRepository extends WatchedCalendarRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async watch(
    { applicationId }: ApplicationRef,
    accountId: string,
    calendarId: string,
  ): Promise<{ watchedCalendarId: string }> {
    if (!isUuid(accountId)) throw noSuchAccount();
    const { rows } = await this.database.write<{ id: string }>(tenant(applicationId), {
      text: WATCH,
      values: [applicationId, accountId, this.ids.next(), calendarId, sha256(calendarId), new Date(this.clock.nowMs())],
    });
    if (rows[0] === undefined) throw noSuchAccount();
    return { watchedCalendarId: rows[0].id };
  }

  override async hint(watchedCalendarIds: string[], traceparents?: ReadonlyMap<string, string>): Promise<void> {
    const ids = watchedCalendarIds.filter(isUuid);
    if (ids.length === 0) return;
    const values = [ids, ids.map((id) => traceparents?.get(id) ?? null)];
    await this.database.write(SYSTEM, { name: 'watched-calendars-hint', text: HINT, values });
  }

  override async lookAnew(watchedCalendarId: string): Promise<void> {
    if (!isUuid(watchedCalendarId)) return;
    await this.database.write(SYSTEM, { text: LOOK_ANEW, values: [watchedCalendarId, currentTraceparent()] });
  }

  override async hintCalendar(
    { applicationId }: ApplicationRef,
    accountId: string,
    calendarId: string,
  ): Promise<boolean> {
    if (!isUuid(accountId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      name: 'watched-calendar-hint',
      text: HINT_CALENDAR,
      // The database does not know which calendar is the primary: all are synced, and the others find no changes.
      values: [applicationId, accountId, calendarId === PRIMARY ? null : sha256(calendarId), currentTraceparent()],
    });
    return count > 0;
  }

  override async hintAccount({ applicationId }: ApplicationRef, accountId: string): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.database.write(tenant(applicationId), {
      text: HINT_ACCOUNT,
      values: [applicationId, accountId, null, currentTraceparent()],
    });
  }

  override async claimLooks({
    limit,
    leaseMs,
    coalesceMs,
  }: {
    limit: number;
    leaseMs: number;
    coalesceMs: number;
  }): Promise<CalendarLook[]> {
    const leaseId = randomUUID();
    for (;;) {
      const { rows } = await this.database.write<LookRow>(SYSTEM, {
        name: 'calendar-looks-claim',
        text: CLAIM_LOOKS,
        values: [limit, leaseId, leaseMs, coalesceMs, LOOKS_OF_AN_ACCOUNT],
      });
      const looks = rows.filter((row) => row.isMine).map((row) => toLook(row, leaseId));
      // An empty result must mean that no sync is due, not that the first few accounts have reached their limit.
      if (looks.length > 0 || rows.length < limit) return looks;
    }
  }

  override async claimFirstLook(
    { applicationId }: ApplicationRef,
    watchedCalendarId: string,
    leaseMs: number,
  ): Promise<CalendarLook | 'begun' | 'busy'> {
    if (!isUuid(watchedCalendarId)) throw notWatched();
    const leaseId = randomUUID();
    const { rows } = await this.database.write<LookRow>(tenant(applicationId), {
      text: CLAIM_FIRST_LOOK,
      values: [applicationId, watchedCalendarId, leaseId, leaseMs],
    });
    if (rows[0] !== undefined) return toLook(rows[0], leaseId);
    const row = await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .selectFrom('WatchedCalendar')
        .select('syncToken')
        .where('application', '=', applicationId)
        .where('id', '=', watchedCalendarId)
        .executeTakeFirst(),
    );
    if (row === undefined) throw notWatched();
    return row.syncToken === null ? 'busy' : 'begun';
  }

  override async extendLook({ watchedCalendarId, leaseId }: CalendarLook, leaseMs: number): Promise<boolean> {
    const { count } = await this.database.write(SYSTEM, {
      text: EXTEND_LOOK,
      values: [watchedCalendarId, leaseId, leaseMs],
    });
    return count > 0;
  }

  override async finishLook(
    look: CalendarLook,
    { syncToken, nextLookInMs, compose }: LookResult,
  ): Promise<QueuedMessage[] | null> {
    const seen = { syncToken };
    if (compose === null) return (await this.end(look, nextLookInMs, seen)) ? [] : null;
    return this.database.transaction(SYSTEM, async () => {
      const subscribers = await this.endForSubscribers(look, nextLookInMs, seen);
      if (subscribers === null) return null;
      const traceparent = currentTraceparent();
      const { applicationId, accountId } = look;
      const messages = subscribers.flatMap(({ target, eventTypes, noticedAt }) => {
        const message = compose(target);
        if (!eventTypes.includes(message.eventType)) return [];
        return [{ ...message, ...target, applicationId, accountId, traceparent, noticedAt }];
      });
      await insertMessages(this.database, SYSTEM, messages);
      return messages.map(({ id, endpointId }) => ({ id, endpointId }));
    });
  }

  override async putOffLook(look: CalendarLook, inMs: number): Promise<boolean> {
    return this.end(look, inMs, null);
  }

  override async giveBackLook({ watchedCalendarId, leaseId, traceparent }: CalendarLook): Promise<boolean> {
    const { count } = await this.database.write(SYSTEM, {
      text: GIVE_BACK_LOOK,
      values: [watchedCalendarId, leaseId, traceparent],
    });
    return count > 0;
  }

  /** Returns null when the lease is lost. */
  private async endForSubscribers(
    look: CalendarLook,
    inMs: number,
    seen: { syncToken: string | null },
  ): Promise<Subscriber[] | null> {
    const { rows } = await this.database.write<SubscriberRow>(SYSTEM, {
      name: 'calendar-look-end-for-subscribers',
      text: END_FOR_SUBSCRIBERS,
      values: endValues(look, inMs, seen),
    });
    if (rows.length === 0) return null;
    return rows.flatMap(({ endpoint_id: endpointId, enriches_webhooks: isEnriched, ...row }) => {
      if (endpointId === null) return [];
      const target = { id: this.ids.next(), endpointId, isEnriched };
      return [{ target, eventTypes: row.event_types ?? [], noticedAt: row.noticed_at }];
    });
  }

  private async end(look: CalendarLook, inMs: number, seen: { syncToken: string | null } | null): Promise<boolean> {
    const { count } = await this.database.write(SYSTEM, {
      name: 'calendar-look-end',
      text: END_LOOK,
      values: endValues(look, inMs, seen),
    });
    return count > 0;
  }
}

function endValues(
  { watchedCalendarId, leaseId, hints }: CalendarLook,
  inMs: number,
  seen: { syncToken: string | null } | null,
): unknown[] {
  return [watchedCalendarId, leaseId, hints, inMs, seen !== null, seen?.syncToken ?? null];
}

function toLook({ isMine: _, ...look }: LookRow, leaseId: string): CalendarLook {
  return { ...look, leaseId };
}

function notWatched(): DomainError {
  return new DomainError('NotFound', 'The calendar is not watched.');
}
