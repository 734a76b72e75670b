import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  Clock,
  DomainError,
  Ids,
  PRIMARY,
  WatchedCalendarRepository,
  isUuid,
  type ApplicationRef,
  type CalendarLook,
  type LookResult,
  type MessageTarget,
  type ProviderType,
  type QueuedMessage,
} from '#domain';
import { currentTraceparent } from '#platform/telemetry';
import { Database } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { insertMessages } from './new-messages.js';
import { sha256 } from '../encryption/hashes.js';
import { ASK_UPKEEP, KEEP_WATCHED, LOOK_SOON } from './watched-calendar.statements.js';

/** At a time, over all processes. */
const LOOKS_OF_AN_ACCOUNT = 4;

interface LookRow {
  id: string;
  hints: string;
  application_id: string;
  account_id: string;
  calendar_id: string;
  provider_type: ProviderType;
  sync_token: string | null;
  failing_for_ms: number | null;
  cause: CalendarLook['cause'];
  look_deaths: number;
  is_pushed: boolean;
  is_mine: boolean;
  trace_parent: string | null;
}

interface SubscriberRow {
  endpoint_id: string | null;
  event_types: string[] | null;
  enriches_webhooks: boolean;
  noticed_at: Date | null;
}

/** Whom a look tells, and since when there was reason for it. */
interface Subscriber {
  target: MessageTarget;
  eventTypes: string[];
  noticedAt: Date | null;
}

@Injectable()
export class SqlWatchedCalendarRepository extends WatchedCalendarRepository {
  constructor(
    private readonly database: Database,
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
      text: hintOwn(LOOK_SOON),
      // Which one it is the database does not know. A look at another one finds nothing.
      values: [applicationId, accountId, calendarId === PRIMARY ? null : sha256(calendarId), currentTraceparent()],
    });
    return count > 0;
  }

  override async hintAccount({ applicationId }: ApplicationRef, accountId: string): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.database.write(tenant(applicationId), {
      text: hintOwn(`${LOOK_SOON}, ${ASK_UPKEEP}`),
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
      const looks = rows.filter((row) => row.is_mine).map((row) => toLook(row, leaseId));
      // None means that nothing is due, not that the first few were of accounts whose turn it is not.
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
    const [row] = await this.database.read<{ has_begun: boolean }>(tenant(applicationId), {
      text: 'select sync_token is not null as has_begun from watched_calendar where application_id = $1 and id = $2',
      values: [applicationId, watchedCalendarId],
    });
    if (row === undefined) throw notWatched();
    return row.has_begun ? 'begun' : 'busy';
  }

  override async extendLook({ watchedCalendarId, leaseId }: CalendarLook, leaseMs: number): Promise<boolean> {
    const { count } = await this.database.write(SYSTEM, {
      text:
        "update watched_calendar set look_at = clock_timestamp() + $3 * interval '1 ms' " +
        'where id = $1 and look_lease_id = $2',
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
      text:
        `update watched_calendar set look_lease_id = null, look_deaths = 0, look_at = ${now}, ` +
        'trace_parent = coalesce(trace_parent, $3) where id = $1 and look_lease_id = $2',
      values: [watchedCalendarId, leaseId, traceparent],
    });
    return count > 0;
  }

  /** @returns who subscribed; null: it is somebody else's by now */
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

const now = 'clock_timestamp()';
/** $2: account, $3: new id, $4: calendar, $5: its hash, $6: now. Watched in vain, it is seen after in a minute. */
const WATCH = `
  insert into watched_calendar as w (id, application_id, end_user_account_id, calendar_id, calendar_hash, hints, look_at,
         upkeep_asks, upkeep_at, created_at)
  select $3, application_id, id, $4, $5, 0, ${now}, 0, ${now} + interval '1 minute', $6 from end_user_account
   where application_id = $1 and id = $2 for key share
  on conflict (end_user_account_id, calendar_hash) do update set ${KEEP_WATCHED}
  returning w.id`;

/** Rows are locked in the order of their ids: pushes that meet wait for each other and never in a circle. */
const HINT = `
  with given as (
    select id, count(*) as hints, max(trace_parent) as trace_parent
      from unnest($1::uuid[], $2::text[]) as asked (id, trace_parent) group by id
  ), watched as materialized (
    select w.id, given.hints, given.trace_parent from watched_calendar w join given using (id) order by w.id for no key update of w
  )
  update watched_calendar w set hints = w.hints + watched.hints, last_push = w.hints + watched.hints, ${LOOK_SOON},
         trace_parent = coalesce(watched.trace_parent, w.trace_parent)
    from watched where w.id = watched.id`;

/** $1: application, $2: account, $3: the hash of one of its calendars, or null for all of them, $4: who asks. */
const hintOwn = (changes: string) => `
  with mine as materialized (
    select id from watched_calendar where application_id = $1 and end_user_account_id = $2
       and ($3::bytea is null or calendar_hash = $3) order by id for no key update
  )
  update watched_calendar w set hints = w.hints + 1, trace_parent = coalesce($4, w.trace_parent),
         ${changes} from mine where w.id = mine.id`;

/** Counted as a hint, for the look that may be under way, and seen at once, unless there are others that are not. */
const LOOK_ANEW = `
  update watched_calendar w set hints = w.hints + 1, hints_seen = w.hints_seen + (w.hints_seen = w.hints)::int,
         trace_parent = coalesce($2, w.trace_parent), ${LOOK_SOON} where id = $1`;

/** Of a watched calendar `w`. */
const LOOK = `
  w.id, w.hints::text, w.application_id, w.calendar_id, w.sync_token, w.look_deaths,
  (extract(epoch from ${now} - w.failing_since) * 1000)::float8 as failing_for_ms,
  case when w.last_push > w.hints_seen then 'push' when w.hints > w.hints_seen then 'hint' else 'timer' end as cause,
  exists (select from provider_channel c
           where c.watched_calendar_id = w.id and c.state = 'live' and c.expires_at > ${now}) as is_pushed`;

/**
 * $1: most, $2: lease, $3: its length, $4: milliseconds until the next one may begin, $5: most at a time of an account.
 * Accounts that are not ACTIVE, or have enough of them under way, do not stand in front for ever.
 */
const CLAIM_LOOKS = `
  with due as materialized (
    select id, end_user_account_id as account_id, look_at, trace_parent from watched_calendar
     where look_at <= (select ${now}) order by look_at limit $1 for update skip locked
  ), ranked as (
    select due.id, due.trace_parent, due.look_at as due_at, a.status = 'ACTIVE' as is_active, a.id as account_id, a.provider_type,
           row_number() over (partition by a.id order by due.look_at, due.id) +
           (select count(*) from watched_calendar r where r.end_user_account_id = a.id and r.look_lease_id is not null
               and r.look_at > ${now}) <= $5 as has_turn
      from due join end_user_account a on a.id = due.account_id
  )
  update watched_calendar w set
         look_at = ${now} + case when not ranked.is_active then interval '1 hour'
                                 when not ranked.has_turn then interval '1 second' else $3 * interval '1 ms' end,
         look_lease_id = case when ranked.is_active and ranked.has_turn then $2::uuid end,
         look_deaths = case when w.look_lease_id is null then w.look_deaths else w.look_deaths + 1 end,
         calm_at = case when ranked.has_turn then ${now} + $4 * interval '1 ms' else w.calm_at end,
         trace_parent = case when ranked.is_active and ranked.has_turn then null else w.trace_parent end,
         noticed_at = case when ranked.is_active and ranked.has_turn then coalesce(w.noticed_at, w.hinted_at, ranked.due_at)
                           else w.noticed_at end,
         hinted_at = case when ranked.is_active and ranked.has_turn then null else w.hinted_at end
    from ranked where w.id = ranked.id
  returning ${LOOK}, ranked.account_id, ranked.provider_type, ranked.is_active and ranked.has_turn as is_mine,
            ranked.trace_parent`;

/** $1: application, $2: calendar, $3: lease, $4: its length. */
const CLAIM_FIRST_LOOK = `
  update watched_calendar w set look_at = ${now} + $4 * interval '1 ms', look_lease_id = $3, trace_parent = null
    from end_user_account a
   where w.application_id = $1 and w.id = $2 and a.id = w.end_user_account_id
     and w.sync_token is null and (w.look_lease_id is null or w.look_at <= ${now})
  returning ${LOOK}, a.id as account_id, a.provider_type, true as is_mine, null as trace_parent`;

/** $2: lease, $3: hints that the look knew of, $4: milliseconds to the next, $5: whether it succeeded, $6: sync token. */
const END_LOOK = `
  update watched_calendar w set look_lease_id = null, look_deaths = 0,
         look_at = case when hints = $3::bigint then ${now} + $4 * interval '1 ms'
                        else least(greatest(${now}, calm_at), ${now} + $4 * interval '1 ms') end,
         sync_token = case when $5 then $6 else sync_token end,
         hints_seen = case when $5 then greatest(hints_seen, $3::bigint) else hints_seen end,
         failing_since = case when not $5 then coalesce(failing_since, ${now}) end,
         noticed_at = case when not $5 then noticed_at end
   where id = $1 and look_lease_id = $2`;

/** Without subscribers there is one row, without any of them. */
const END_FOR_SUBSCRIBERS = `
  with noticed as materialized (
    select noticed_at from watched_calendar where id = $1
  ), ended as (${END_LOOK} returning id, application_id)
  select e.id as endpoint_id, e.event_types, a.enriches_webhooks, (select noticed_at from noticed) as noticed_at
    from ended join application a on a.id = ended.application_id
    left join webhook_endpoint e on e.watched_calendar_id = ended.id order by e.id`;

function endValues(
  { watchedCalendarId, leaseId, hints }: CalendarLook,
  inMs: number,
  seen: { syncToken: string | null } | null,
): unknown[] {
  return [watchedCalendarId, leaseId, hints, inMs, seen !== null, seen?.syncToken ?? null];
}

function toLook(row: LookRow, leaseId: string): CalendarLook {
  return {
    watchedCalendarId: row.id,
    leaseId,
    hints: row.hints,
    applicationId: row.application_id,
    accountId: row.account_id,
    calendarId: row.calendar_id,
    providerType: row.provider_type,
    syncToken: row.sync_token,
    failingForMs: row.failing_for_ms,
    cause: row.cause,
    isPushed: row.is_pushed,
    deaths: row.look_deaths,
    traceparent: row.trace_parent,
  };
}

function notWatched(): DomainError {
  return new DomainError('NotFound', 'The calendar is not watched.');
}

function noSuchAccount(): DomainError {
  return new DomainError('NotFound', 'There is no end user account with this id.');
}
