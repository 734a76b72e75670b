import type { ChannelFacts, ChannelRequest, KnownChannel, ChannelNotification } from '#domain/channels';
import type { ChannelAdapter } from '#providers/kit/adapter';
import { assertReachable, believableEnd, isChannelId, isChannelToken } from '#providers/kit/calls';
import { recordOf, textOf } from '#providers/kit/events';
import type { GoogleAccountClient } from './account-client.js';
import { GoogleApiError, NO_ADDRESS, malformedResponse } from './errors.js';

/** Google's default, sent explicitly. Google may grant less. */
const LIFE_SECONDS = 604_800;
/** Google's ids of resources have 27 characters. */
const MAX_RESOURCE_ID_LENGTH = 512;

/** For calendars that Google generates, such as holidays. */
const NEVER_PUSHED = 'pushNotSupportedForRequestedResource';

/** Without `openid` only a refresh of the tokens shows that the grant lives, and that costs no Calendar quota either. */
export async function verifyGrant(connection: GoogleAccountClient): Promise<boolean> {
  const { authorizedScopes } = connection.session;
  if (authorizedScopes !== undefined) return authorizedScopes.includes('openid') && connection.isKnownToUserInfo();
  await verifyAccess(connection);
  return true;
}

/** @throws GoogleApiError 401 */
async function verifyAccess(connection: GoogleAccountClient): Promise<void> {
  await connection.call('read', () => connection.api.calendarList.list({ maxResults: 1, fields: 'kind' }));
}

/** https://developers.google.com/workspace/calendar/api/guides/push */
export class GoogleChannels implements ChannelAdapter<GoogleAccountClient> {
  readonly usesOurIds = true;

  constructor(
    private readonly nowMs: () => number,
    private readonly root: string,
  ) {}

  async open(
    connection: GoogleAccountClient,
    calendarId: string,
    request: ChannelRequest,
  ): Promise<ChannelFacts | null> {
    const { id: calendar } = await connection.calendar(calendarId);
    assertReachable(this.root, request.notificationUrl, NO_ADDRESS);
    const response = await watch(connection, calendar, request);
    if (response === null) return null;
    const { id, resourceId: resource, expiration } = recordOf(response);
    const resourceId = textOf(resource);
    if (resourceId === undefined || resourceId.length > MAX_RESOURCE_ID_LENGTH) throw malformedResponse();
    const channel = { subscriptionId: request.channelId, resourceId };
    const expiresAt = believableEnd(epochMs(expiration), this.nowMs());
    if (id === request.channelId && expiresAt !== null) return { ...channel, expiresAt };
    await this.stop(connection, channel);
    throw malformedResponse();
  }

  /** Google cannot renew a channel, so the caller opens another one. */
  renew(): Promise<null> {
    return Promise.resolve(null);
  }

  async stop(
    connection: GoogleAccountClient,
    { subscriptionId: id, resourceId }: Pick<KnownChannel, 'subscriptionId' | 'resourceId'>,
  ): Promise<void> {
    try {
      await connection.call('idempotent', () => connection.api.channels.stop({ requestBody: { id, resourceId } }));
    } catch (error) {
      if (!(error instanceof GoogleApiError)) throw error;
      if (error.isGone) return;
      if (error.status !== 401) throw error;
      // Google also answers 401 for some ended channels, so another call checks the access.
      await verifyAccess(connection);
    }
  }
}

async function watch(
  connection: GoogleAccountClient,
  calendarId: string,
  { channelId, token, notificationUrl }: ChannelRequest,
): Promise<unknown> {
  const params = { ttl: String(LIFE_SECONDS) };
  const requestBody = { id: channelId, token, type: 'web_hook', address: notificationUrl, params };
  try {
    return await connection.call('once', () => connection.api.events.watch({ calendarId, requestBody }));
  } catch (error) {
    if (error instanceof GoogleApiError && error.code === NEVER_PUSHED) return null;
    throw error;
  }
}

/** Google's API description says text, its guide says number. */
function epochMs(expiration: unknown): number {
  if (typeof expiration === 'string' && /^\d{1,16}$/.test(expiration)) return Number(expiration);
  return typeof expiration === 'number' && Number.isInteger(expiration) ? expiration : Number.NaN;
}

const KINDS: ReadonlyMap<unknown, ChannelNotification['kind']> = new Map([
  ['sync', 'sync'],
  ['exists', 'change'],
  ['not_exists', 'gone'],
]);

/**
 * https://developers.google.com/workspace/calendar/api/guides/push#receiving-notifications
 * @param headers names in lower case
 * @returns null when no channel of ours can have sent it
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
