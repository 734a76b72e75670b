import { errors, jwtVerify, type JWTPayload } from 'jose';
import type { AccountIdentity } from '#domain';
import type { SigningKeys, TokenExchange } from '#provider-calls';

/** Both forms: https://developers.google.com/identity/openid-connect/openid-connect#validatinganidtoken */
export const ISSUERS = ['https://accounts.google.com', 'accounts.google.com'];

/** Clocks may differ by this much, seconds. */
const CLOCK_TOLERANCE_S = 300;
const MAX_LENGTH = 16_384;

/** Why an id_token proves nothing; holds no part of it. */
export class IdTokenRefused extends Error {
  override readonly name = 'IdTokenRefused';
}

export interface IdTokenCheck {
  clientId: string;
  /** Of the authorization request; null for tokens that no browser has carried: a refresh. */
  nonce: string | null;
  nowMs: number;
}

/**
 * OpenID Connect Core §3.1.3.7: RS256 alone, issuer, audience, time, nonce.
 * @returns null when the token is good and names no address that Google has verified
 * @throws IdTokenRefused; DomainError when the keys cannot be had
 */
export async function identityOf(
  idToken: string,
  { clientId, nonce, nowMs }: IdTokenCheck,
  keys: SigningKeys,
  exchange: TokenExchange,
): Promise<AccountIdentity | null> {
  if (idToken.length > MAX_LENGTH) throw new IdTokenRefused('The id_token is too long');
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(idToken, keys.finder(exchange), {
      algorithms: ['RS256'],
      issuer: ISSUERS,
      audience: clientId,
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(nowMs),
    }));
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw new IdTokenRefused(`The id_token does not verify: ${error.code}`);
  }
  if (nonce !== null && payload['nonce'] !== nonce) throw new IdTokenRefused('The id_token is of another sign-in');
  return verifiedIdentity(payload);
}

/** The claims of an id_token or of the token's own description, which writes booleans as text. */
export function verifiedIdentity(claims: Record<string, unknown>): AccountIdentity | null {
  const { sub, email, email_verified: isVerified } = claims;
  if (typeof sub !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(sub)) return null;
  if (typeof email !== 'string' || !/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(email)) return null;
  return isVerified === true || isVerified === 'true' ? { subject: sub, email } : null;
}
