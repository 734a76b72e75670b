import { errors, jwtVerify, type JWTPayload } from 'jose';
import type { SigningKeys } from './signing-keys.js';
import type { TokenExchange } from './token-exchange.js';

/** Clocks may differ by this much, seconds. Microsoft's tokens begin at the second in which they are made (`nbf`). */
const CLOCK_TOLERANCE_S = 600;
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
  /** RS256 alone, unless the provider is free to choose; never one whose key is a shared secret. */
  algorithms?: string[];
  /** Whether the provider issues tokens with such claims under its name `iss`. */
  isIssuedBy: (iss: string, claims: JWTPayload) => boolean;
}

/**
 * OpenID Connect Core §3.1.3.7: algorithm, issuer, audience, time, nonce.
 * @returns the claims
 * @throws IdTokenRefused; DomainError when the keys cannot be had
 */
export async function verifiedClaims(
  idToken: string,
  { clientId, nonce, nowMs, algorithms = ['RS256'], isIssuedBy }: IdTokenCheck,
  keys: SigningKeys,
  exchange: TokenExchange,
): Promise<JWTPayload> {
  if (idToken.length > MAX_LENGTH) throw new IdTokenRefused('The id_token is too long');
  let claims: JWTPayload;
  try {
    ({ payload: claims } = await jwtVerify(idToken, keys.finder(exchange), {
      algorithms,
      audience: clientId,
      requiredClaims: ['iss', 'sub', 'exp', 'iat'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(nowMs),
    }));
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw new IdTokenRefused(`The id_token does not verify: ${error.code}`);
  }
  if (typeof claims.iss !== 'string' || !isIssuedBy(claims.iss, claims)) {
    throw new IdTokenRefused('The id_token is of another issuer');
  }
  if (nonce !== null && claims['nonce'] !== nonce) throw new IdTokenRefused('The id_token is of another sign-in');
  return claims;
}

/** Whether a claim can be an email address. */
export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(value);
}
