import { isChannelId, isChannelToken } from '#providers/kit/calls';

const SEPARATOR = '.';

interface ChannelKey {
  channelId: string;
  token: string;
}

/**
 * What comes back with every push of a subscription: 80 characters, of 128 that Graph takes. It names our channel, so
 * that one look-up judges a push.
 */
export function clientStateOf({ channelId, token }: ChannelKey): string {
  return channelId + SEPARATOR + token;
}

/** null for what cannot be ours. */
export function readClientState(clientState: unknown): ChannelKey | null {
  if (typeof clientState !== 'string') return null;
  const at = clientState.indexOf(SEPARATOR);
  const channelId = clientState.slice(0, at);
  const token = clientState.slice(at + 1);
  return isChannelId(channelId) && isChannelToken(token) ? { channelId, token } : null;
}
