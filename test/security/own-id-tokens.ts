import { publishedKey } from '#providers/kit/testing/signed-id-tokens';
import type { OAuthAccounts } from '../support/oauth-accounts.js';
import type { SignInSubject } from '../browser/sign-in-subjects.js';

/**
 * From the next reading of the provider's keys on, `signed()` id_tokens verify as its own do. To be called before the
 * service reads them, which it does once in a while, at the end of a sign-in.
 */
export async function trustOwnIdTokens(subject: SignInSubject, { sandbox }: OAuthAccounts): Promise<void> {
  const published = (await (await fetch(subject.keysUrl(sandbox))).json()) as { keys: unknown[] };
  const body = { keys: [...published.keys, publishedKey()] };
  await subject.half(sandbox).fault({ kind: 'certs' }, { type: 'replace', body });
}

/** What a good id_token of a sign-in says. @param nonce of its authorization request */
export async function goodClaims(
  subject: SignInSubject,
  { sandbox }: OAuthAccounts,
  email: string,
  nonce: string,
): Promise<Record<string, unknown>> {
  const now = Math.floor(Date.now() / 1_000);
  const about = await subject.claims(sandbox, email);
  return { ...about, aud: subject.client.clientId, nonce, iat: now, exp: now + 3_600 };
}

/** The next code is answered with tokens of the user that work, and with this id_token. */
export async function respondWithIdToken(
  subject: SignInSubject,
  { sandbox }: OAuthAccounts,
  email: string,
  idToken: string,
  scopes = subject.scopes,
): Promise<void> {
  const half = subject.half(sandbox);
  const { accessToken, refreshToken, expiresIn } = await half.grant(email, subject.client.clientId);
  const tokens = { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn };
  const body = { ...tokens, token_type: 'Bearer', scope: scopes.join(' '), id_token: idToken };
  await half.fault({ kind: 'token' }, { type: 'replace', body }, { times: 1 });
}
