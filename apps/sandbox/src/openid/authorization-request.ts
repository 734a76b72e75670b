import { isWellFormedChallenge, type CodeChallenge } from '../oauth/code-challenge.js';

/** A client of the OpenID provider. */
export interface OpenIdClient {
  clientId: string;
  clientSecret: string;
  redirectUris: readonly string[];
}

/** An authentication request (OpenID Connect Core §3.1.2.1) that is in order. */
export interface AuthenticationRequest {
  clientId: string;
  redirectUri: string;
  scopes: ReadonlySet<string>;
  state: string | null;
  nonce: string | null;
  challenge: CodeChallenge;
  /** `prompt=login` or `max_age=0`: whoever is signed in here is asked all the same. */
  again: boolean;
  /** Whether the client wants to be told when that was (`max_age`). */
  wantsAuthTime: boolean;
}

/** What a correct client never sends: it is told on a page, since nobody is known whom to send back to. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault';
}

/**
 * Stricter than the standard where the Best Current Practice is (RFC 9700 §2.1.1): PKCE with S256, always.
 * @throws RequestFault
 */
export function parseAuthenticationRequest(
  query: URLSearchParams,
  findClient: (clientId: string) => OpenIdClient | undefined,
): AuthenticationRequest {
  for (const name of query.keys()) {
    if (query.getAll(name).length > 1) throw new RequestFault(`${name} must be given once.`);
  }
  const client = findClient(query.get('client_id') ?? '');
  if (client === undefined) throw new RequestFault('There is no such client.');
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!client.redirectUris.includes(redirectUri)) {
    throw new RequestFault(`${redirectUri} is not registered for ${client.clientId}.`);
  }
  if (query.get('response_type') !== 'code') throw new RequestFault('response_type must be code.');
  const scopes = new Set((query.get('scope') ?? '').split(' '));
  if (!scopes.has('openid')) throw new RequestFault('scope must name openid.');
  const challenge: CodeChallenge = { value: query.get('code_challenge') ?? '', method: 'S256' };
  if (query.get('code_challenge_method') !== 'S256' || !isWellFormedChallenge(challenge)) {
    throw new RequestFault('PKCE with S256 is asked for.');
  }
  const maxAge = query.get('max_age');
  if (maxAge !== null && !/^\d{1,9}$/.test(maxAge)) throw new RequestFault('max_age must be a number of seconds.');
  const prompt = query.get('prompt');
  if (prompt !== null && prompt !== 'login') throw new RequestFault('prompt may be login here, and nothing else.');
  return {
    ...{ again: prompt === 'login' || maxAge === '0', wantsAuthTime: maxAge !== null },
    ...{ clientId: client.clientId, redirectUri, scopes, challenge },
    ...{ state: query.get('state'), nonce: query.get('nonce') },
  };
}
