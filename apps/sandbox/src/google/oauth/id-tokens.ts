import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { SignJWT, type JWK } from 'jose';
import type { GoogleUser } from '../contract.js';
import { allowsEmail, allowsProfile } from './scopes.js';

export const ISSUER = 'https://accounts.google.com';
const LIFETIME_SECONDS = 3600;

interface SigningKey {
  privateKey: KeyObject;
  publicKey: JWK;
}

/** Signs id_tokens (OpenID Connect Core §2) with a key of its own. */
export class IdTokens {
  #key: Promise<SigningKey> | null = null;
  #made: KeyObject | null = null;

  constructor(private readonly clock: { nowMs(): number }) {}

  /** Makes the key, unless there is one. It takes half a second: who calls this early does not wait for it later. */
  async prepare(): Promise<SigningKey> {
    this.#key ??= makeKey().then((privateKey) => this.#use(privateKey));
    return this.#key;
  }

  /** The key, once it is made; only this process's owner may see it. */
  snapshot(): JWK | null {
    return this.#made?.export({ format: 'jwk' }) ?? null;
  }

  restore(privateKey: JWK | null): void {
    if (privateKey === null) return;
    this.#key = Promise.resolve(this.#use(createPrivateKey({ key: privateKey, format: 'jwk' })));
  }

  /** RFC 7517 §5 */
  async keySet(): Promise<{ keys: JWK[] }> {
    return { keys: [(await this.prepare()).publicKey] };
  }

  async sign(about: {
    user: GoogleUser;
    clientId: string;
    scopes: ReadonlySet<string>;
    accessToken: string;
    nonce: string | null;
  }): Promise<string> {
    const { privateKey, publicKey } = await this.prepare();
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

  #use(privateKey: KeyObject): SigningKey {
    this.#made = privateKey;
    const { kty, n, e } = createPublicKey(privateKey).export({ format: 'jwk' });
    const kid = createHash('sha256').update(JSON.stringify({ kty, n, e })).digest('hex').slice(0, 40);
    return { privateKey, publicKey: { kty, n, e, kid, alg: 'RS256', use: 'sig' } };
  }
}

async function makeKey(): Promise<KeyObject> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privateKey;
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
