import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { SignJWT, type JWK, type JWTPayload } from 'jose';

interface KeyPair {
  privateKey: KeyObject;
  publicKey: JWK;
}

/** A provider's RSA key: signs its id_tokens (OpenID Connect Core §2), RS256. */
export class SigningKey {
  #key: Promise<KeyPair> | null = null;
  #made: KeyObject | null = null;

  /** Makes the key, unless there is one. It takes half a second: who calls this early does not wait for it later. */
  async prepare(): Promise<KeyPair> {
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

  async sign(claims: JWTPayload): Promise<string> {
    const { privateKey, publicKey } = await this.prepare();
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: publicKey.kid, typ: 'JWT' }).sign(privateKey);
  }

  #use(privateKey: KeyObject): KeyPair {
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
