const CHANNEL_ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const TOKEN = '[A-Za-z0-9_-]{43}';

const IS_CHANNEL_ID = new RegExp(`^${CHANNEL_ID}$`);
const IS_TOKEN = new RegExp(`^${TOKEN}$`);

/** Whether we can have called a channel so: a UUID in lower case, as in `ChannelRequest`. */
export function isChannelId(value: unknown): value is string {
  return typeof value === 'string' && IS_CHANNEL_ID.test(value);
}

/** Whether it has the form of a channel's token: 43 characters of base64url, as in `ChannelRequest`. */
export function isChannelToken(value: unknown): value is string {
  return typeof value === 'string' && IS_TOKEN.test(value);
}
