import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import type { GoogleUser } from '../contract.js';
import { allowsEmail, allowsProfile } from './scopes.js';

export const ISSUER = 'https://accounts.google.com';
const LIFETIME_SECONDS = 3600;

interface SigningKey {
  privateKey: CryptoKey;
  publicKey: JWK;
}

/** Signs id_tokens (OpenID Connect Core §2) with a key of its own. */
export class IdTokens {
  /** Takes half a second to make, which the start does not wait for. */
  readonly #key = makeKey();

  constructor(private readonly clock: { nowMs(): number }) {}

  /** RFC 7517 §5 */
  async keySet(): Promise<{ keys: JWK[] }> {
    return { keys: [(await this.#key).publicKey] };
  }

  async sign(about: {
    user: GoogleUser;
    clientId: string;
    scopes: ReadonlySet<string>;
    accessToken: string;
    nonce: string | null;
  }): Promise<string> {
    const { privateKey, publicKey } = await this.#key;
    const iat = Math.floor(this.clock.nowMs() / 1000);
    return new SignJWT({
      azp: about.clientId,
      ...identityClaims(about.user, about.scopes),
      at_hash: createHash('sha256').update(about.accessToken).digest().subarray(0, 16).toString('base64url'),
      ...(about.nonce !== null && { nonce: about.nonce }),
    })
      .setProtectedHeader({ alg: 'RS256', kid: publicKey.kid, typ: 'JWT' })
      .setIssuer(ISSUER)
      .setAudience(about.clientId)
      .setIssuedAt(iat)
      .setExpirationTime(iat + LIFETIME_SECONDS)
      .sign(privateKey);
  }
}

async function makeKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = await exportJWK(publicKey);
  const kid = createHash('sha256').update(JSON.stringify(jwk)).digest('hex').slice(0, 40);
  return { privateKey, publicKey: { ...jwk, kid, alg: 'RS256', use: 'sig' } };
}

/** What is told about a user: who it is, always; the rest as far as the scopes go. */
export function identityClaims(
  { sub, email, name, workspace }: GoogleUser,
  scopes: ReadonlySet<string>,
): Record<string, unknown> {
  return {
    sub,
    ...(workspace && { hd: email.slice(email.lastIndexOf('@') + 1) }),
    ...(allowsEmail(scopes) && { email, email_verified: true }),
    ...(allowsProfile(scopes) && { name, given_name: name.split(' ', 1)[0] }),
  };
}
