import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { SignJWT, type JWK, type JWTPayload } from 'jose';
import type { Memory } from '../state/memory.js';

/** Collection with the private key. */
export const SIGNING_KEY = 'signingKey';

interface KeyPair {
  privateKey: KeyObject;
  publicKey: JWK;
}

/** A provider's RSA key, which signs id_tokens with RS256 (OpenID Connect Core §2). */
export class SigningKey {
  #key: Promise<KeyPair> | null = null;
  readonly #kept: Map<string, JWK>;

  constructor(memory: Memory) {
    this.#kept = memory.collection(SIGNING_KEY);
  }

  /** Creates a missing key. This takes half a second, so an early call avoids a wait later. */
  async prepare(): Promise<KeyPair> {
    this.#key ??= this.#keptOrMade();
    return this.#key;
  }

  /** RFC 7517 §5 */
  async keySet(): Promise<{ keys: JWK[] }> {
    return { keys: [(await this.prepare()).publicKey] };
  }

  async sign(claims: JWTPayload): Promise<string> {
    const { privateKey, publicKey } = await this.prepare();
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: publicKey.kid, typ: 'JWT' }).sign(privateKey);
  }

  async #keptOrMade(): Promise<KeyPair> {
    const kept = this.#kept.get('private');
    if (kept !== undefined) return keyPair(createPrivateKey({ key: kept, format: 'jwk' }));
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    this.#kept.set('private', privateKey.export({ format: 'jwk' }));
    return keyPair(privateKey);
  }
}

function keyPair(privateKey: KeyObject): KeyPair {
  const { kty, n, e } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = createHash('sha256').update(JSON.stringify({ kty, n, e })).digest('hex').slice(0, 40);
  return { privateKey, publicKey: { kty, n, e, kid, alg: 'RS256', use: 'sig' } };
}
