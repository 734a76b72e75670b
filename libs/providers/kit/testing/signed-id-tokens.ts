import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Scripted } from './scripted-egress.js';

const { publicKey, privateKey } = await generateKeyPair('RS256');
const foreign = await generateKeyPair('RS256');
const jwk = await exportJWK(publicKey);

/** What {@link signed} tokens verify with, as a key of a set (RFC 7517). */
export function publishedKey(kid = 'k1'): object {
  return { ...jwk, kid, alg: 'RS256', use: 'sig' };
}

/** The key set that {@link signed} tokens verify with. @param maxAge seconds */
export function keySet(kid = 'k1', maxAge = 20_000): Scripted {
  return {
    headers: { 'cache-control': `public, max-age=${maxAge}, must-revalidate` },
    json: { keys: [publishedKey(kid)] },
  };
}

/** Sets whose only key cannot be used. */
export function uselessKeySets(): Scripted[] {
  return [{ n: 'https://keys.example' }, { n: jwk.n?.slice(0, 171) }, { n: 7 }, { e: undefined }].map((damage) => ({
    headers: { 'cache-control': 'max-age=86400' },
    json: { keys: [{ ...publishedKey(), ...damage }] },
  }));
}

export function signed(claims: object, { key = privateKey, kid = 'k1', alg = 'RS256' } = {}): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg, kid }).sign(key);
}

/** Tokens that prove nothing, each but for one thing like a good one with these claims of the sign-in `nonce`. */
export function forgeries(claims: Record<string, unknown>, nowMs: number): [string, () => Promise<string> | string][] {
  const altered = (changes: object) => () => signed({ ...claims, ...changes });
  return [
    ['another issuer', altered({ iss: 'https://evil.example' })],
    ['no issuer', altered({ iss: undefined })],
    ['another audience', altered({ aud: 'cid-2' })],
    ['another nonce', altered({ nonce: 'n-2' })],
    ['no nonce', altered({ nonce: undefined })],
    ['an end in the past', altered({ exp: nowMs / 1_000 - 601 })],
    ['no end', altered({ exp: undefined })],
    ['no subject', altered({ sub: undefined })],
    ['the key of somebody else', () => signed(claims, { key: foreign.privateKey })],
    ['a key that the provider does not have', () => signed(claims, { kid: 'k9' })],
    [
      'another algorithm',
      () =>
        new SignJWT({ ...claims })
          .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
          .sign(new TextEncoder().encode('x'.repeat(32))),
    ],
    ['no algorithm', () => `${btoa('{"alg":"none","kid":"k1"}')}.${btoa(JSON.stringify(claims))}.`.replaceAll('=', '')],
    ['what is no token', () => 'canary'],
    ['a token that is too long', () => 'a'.repeat(20_000)],
  ];
}
