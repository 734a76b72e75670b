import type { ChannelNotification } from '#domain';
import { isChannelId, isChannelToken } from '#providers/kit/calls';

const KINDS: ReadonlyMap<unknown, ChannelNotification['kind']> = new Map([
  ['sync', 'sync'],
  ['exists', 'change'],
  ['not_exists', 'gone'],
]);

/**
 * Reads a message of a channel, which is all in its headers:
 * https://developers.google.com/workspace/calendar/api/guides/push#receiving-notifications
 * @param headers names in lower case
 * @returns null for what no channel of ours can have sent
 */
export function readGooglePush(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ChannelNotification | null {
  const channelId = headers['x-goog-channel-id'];
  const token = headers['x-goog-channel-token'];
  const kind = KINDS.get(headers['x-goog-resource-state']);
  if (!isChannelId(channelId) || !isChannelToken(token) || kind === undefined) return null;
  return { channelId, token, kind };
}
