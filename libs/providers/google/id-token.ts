import type { AccountIdentity } from '#domain';
import { isAddress } from '#providers/kit/oauth';

/** Both forms: https://developers.google.com/identity/openid-connect/openid-connect#validatinganidtoken */
export const ISSUERS = ['https://accounts.google.com', 'accounts.google.com'];

/**
 * The claims of an id_token or of the token's own description, which writes booleans as text.
 * @returns null without an address that Google has verified
 */
export function verifiedIdentity(claims: Record<string, unknown>): AccountIdentity | null {
  const { sub, email, email_verified: isVerified } = claims;
  if (typeof sub !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(sub)) return null;
  if (!isAddress(email)) return null;
  return isVerified === true || isVerified === 'true' ? { subject: sub, email } : null;
}
