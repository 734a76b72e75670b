import { randomBytes } from 'node:crypto';
import type { ChannelToken } from '#domain/channels';
import type { Persistence } from '../persistence/persistence.js';
import { newSyncedCalendar, subscribe, takeSync } from '../persistence/webhook-fixture.js';

const HOUR_MS = 3_600_000;

/** A channel that its provider pushes to, of a calendar that was looked at: nothing is due, and the next hint comes after a calm. */
export async function newLiveChannel(persistence: Persistence): Promise<ChannelToken> {
  const { channels, syncedCalendars, admin } = persistence;
  const fixture = await newSyncedCalendar(persistence);
  await subscribe(persistence, fixture);
  const { application, syncedCalendarId } = fixture;
  const token = randomBytes(32).toString('base64url');
  const reconciliation = await channels.claimReconciliation(application, syncedCalendarId, HOUR_MS);
  if (reconciliation === null) throw new Error('The upkeep is taken');
  const opened = await channels.open(reconciliation, { token });
  if (opened === null) throw new Error('The upkeep was lost');
  const expiresAt = new Date(Date.now() + 24 * HOUR_MS);
  await channels.live(reconciliation, opened.channelId, {
    subscriptionId: 's',
    resourceId: 'r',
    expiresAt,
    renewAt: expiresAt,
  });
  await channels.completeReconciliation(reconciliation, HOUR_MS);
  const sync = await takeSync(persistence, syncedCalendarId);
  await syncedCalendars.complete(sync, { syncToken: 'now', nextSyncInMs: HOUR_MS, compose: null });
  await admin('update synced_calendar set coalesce_until = clock_timestamp() where id = $1', [syncedCalendarId]);
  return { ...opened, syncedCalendarId, token };
}
