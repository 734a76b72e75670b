import type { EndUserAccount } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import type { ClaimedReconciliation } from '#domain/channels';
import type { ClaimedSync } from '#domain/sync';
import type {
  AttemptClaim,
  AttemptOutcome,
  ClaimedAttempt,
  ComposedMessage,
  MessageTarget,
  NewWebhookEndpoint,
  RecordedAttempt,
  WebhookEndpoint,
} from '#domain/webhooks';
import type { Persistence } from './persistence.js';

export const SECRETS = { active: 'whsec_active', retiring: [] };
export const LEASE = { leaseMs: 60_000, aheadMs: 1_000 };

/** What receivers did. */
export const answered: Omit<AttemptOutcome, 'verdict'> = {
  durationMs: 12,
  status: 200,
  failure: null,
  responseText: 'ok',
};
export const delivered: AttemptOutcome = { ...answered, verdict: { kind: 'delivered' } };
export const failed = (inMs = 0): AttemptOutcome => ({
  ...answered,
  status: 500,
  responseText: 'no',
  verdict: { kind: 'retry', inMs },
});
export const exhausted: AttemptOutcome = { ...failed(), verdict: { kind: 'failed', reason: 'exhausted' } };
export const gone: AttemptOutcome = { ...answered, status: 410, verdict: { kind: 'gone' } };
export const interrupted: AttemptOutcome = {
  ...answered,
  status: null,
  failure: 'aborted',
  verdict: { kind: 'interrupted' },
};

export const changed = ({ endpointId }: MessageTarget): ComposedMessage => ({
  eventType: 'calendar.event.changed',
  body: Buffer.from(`{"eventType":"calendar.event.changed","for":"${endpointId}","text":"ü\u{1f4c5}"}`),
});

export interface SyncedCalendarFixture {
  application: ApplicationRef;
  account: EndUserAccount;
  syncedCalendarId: string;
  calendarId: string;
}

let calendars = 0;

/** A calendar that is watched, of an application of its own. */
export async function newSyncedCalendar(persistence: Persistence): Promise<SyncedCalendarFixture> {
  const application = await persistence.newApplication();
  const account = await persistence.newAccount(application);
  const calendarId = `calendar ${(calendars += 1)}`;
  const { syncedCalendarId } = await persistence.syncedCalendars.register(application, account.id, calendarId);
  return { application, account, syncedCalendarId, calendarId };
}

export function subscribe(
  { endpoints }: Persistence,
  { application, syncedCalendarId }: Pick<SyncedCalendarFixture, 'application' | 'syncedCalendarId'>,
  given: Partial<NewWebhookEndpoint> = {},
): Promise<WebhookEndpoint> {
  return endpoints.create(application, {
    syncedCalendarId,
    url: 'https://hooks.example.com/a',
    eventTypes: ['calendar.event.changed', 'calendar.event.unknown'],
    rateLimit: null,
    secrets: SECRETS,
    ...given,
  });
}

/** Makes a look due and takes it. */
export async function takeSync(persistence: Persistence, syncedCalendarId: string): Promise<ClaimedSync> {
  await persistence.admin('update synced_calendar set next_sync_at = clock_timestamp() where id = $1', [
    syncedCalendarId,
  ]);
  const syncs = await persistence.syncedCalendars.claimSyncs({ limit: 1_000, leaseMs: 60_000, coalesceMs: 2_000 });
  const sync = syncs.find((one) => one.syncedCalendarId === syncedCalendarId);
  if (sync === undefined) throw new Error('The look was not due');
  return sync;
}

/** A change that every subscription of the calendar is told of. @returns ids of the messages, oldest first */
export async function announce(
  persistence: Persistence,
  { syncedCalendarId }: Pick<SyncedCalendarFixture, 'syncedCalendarId'>,
): Promise<string[]> {
  const sync = await takeSync(persistence, syncedCalendarId);
  const ids: string[] = [];
  await persistence.syncedCalendars.complete(sync, {
    syncToken: 'next',
    nextSyncInMs: 600_000,
    compose: (target) => {
      ids.push(target.id);
      return changed(target);
    },
  });
  return ids;
}

export async function tryClaim(
  { messages }: Persistence,
  messageId: string,
  lease: Partial<typeof LEASE> = {},
): Promise<AttemptClaim> {
  const [outcome] = await messages.claim([messageId], { ...LEASE, ...lease });
  if (outcome === undefined) throw new Error('The claim has no outcome');
  return outcome;
}

export async function record(
  { messages }: Persistence,
  attempt: ClaimedAttempt,
  outcome: AttemptOutcome,
): Promise<RecordedAttempt | null> {
  const [recorded] = await messages.record([{ attempt, outcome }]);
  return recorded ?? null;
}

/** @throws unless there is an attempt to make now */
export async function claim(persistence: Persistence, messageId: string): Promise<ClaimedAttempt> {
  const outcome = await tryClaim(persistence, messageId);
  if (outcome.state !== 'claimed') throw new Error(outcome.state);
  return outcome.attempt;
}

/** Many messages for one endpoint, all due. */
export async function backlog(
  { admin }: Persistence,
  { id, applicationId }: WebhookEndpoint,
  count: number,
  failures = 0,
): Promise<string[]> {
  const rows = await admin<{ id: string }>(
    'insert into webhook_message (id, application_id, endpoint_id, event_type, body, state, failures, resends, tries, ' +
      "tries_by_hand, next_attempt_at, enqueue_at, created_at) select gen_random_uuid(), $1, $2, 'x', '{}', 'pending', $4, 0, " +
      '0, 0, now(), now(), now() from generate_series(1, $3) returning id',
    [applicationId, id, count, failures],
  );
  return rows.map((row) => row.id);
}

/** A calendar's upkeep, under way, with a channel that is being opened. */
export async function openChannel(
  { channels }: Persistence,
  application: ApplicationRef,
  syncedCalendarId: string,
): Promise<{ reconciliation: ClaimedReconciliation; channelId: string }> {
  const reconciliation = await channels.claimReconciliation(application, syncedCalendarId, 60_000);
  if (reconciliation === null) throw new Error('The upkeep is taken');
  const opened = await channels.open(reconciliation, { token: 'token of the channel' });
  if (opened === null) throw new Error('The upkeep was lost');
  return { reconciliation, ...opened };
}
