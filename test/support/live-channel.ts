import { randomBytes } from 'node:crypto';
import type { ChannelKey } from '#domain';
import type { Persistence } from '../persistence/persistence.js';
import { newWatchedCalendar, subscribe, takeLook } from '../persistence/webhook-world.js';

const HOUR_MS = 3_600_000;

/** A channel that its provider pushes to, of a calendar that was looked at: nothing is due, and the next hint comes after a calm. */
export async function newLiveChannel(persistence: Persistence): Promise<ChannelKey> {
  const { channels, watched, admin } = persistence;
  const world = await newWatchedCalendar(persistence);
  await subscribe(persistence, world);
  const { application, watchedCalendarId } = world;
  const token = randomBytes(32).toString('base64url');
  const upkeep = await channels.takeUpkeep(application, watchedCalendarId, HOUR_MS);
  if (upkeep === null) throw new Error('The upkeep is taken');
  const opened = await channels.open(upkeep, { token });
  if (opened === null) throw new Error('The upkeep was lost');
  const expiresAt = new Date(Date.now() + 24 * HOUR_MS);
  await channels.live(upkeep, opened.channelId, {
    subscriptionId: 's',
    resourceId: 'r',
    expiresAt,
    renewAt: expiresAt,
  });
  await channels.finishUpkeep(upkeep, HOUR_MS);
  const look = await takeLook(persistence, watchedCalendarId);
  await watched.finishLook(look, { syncToken: 'now', nextLookInMs: HOUR_MS, compose: null });
  await admin('update watched_calendar set calm_at = clock_timestamp() where id = $1', [watchedCalendarId]);
  return { ...opened, watchedCalendarId, token };
}
