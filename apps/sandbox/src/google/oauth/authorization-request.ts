import { isWellFormedChallenge, type CodeChallenge } from '../../oauth/code-challenge.js';
import type { ClientRegistry } from './clients.js';
import { isKnownScope, parseScopes } from './scopes.js';

/** https://developers.google.com/identity/protocols/oauth2/web-server#creatingclient */
const PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'access_type',
  'state',
  'include_granted_scopes',
  'enable_granular_consent',
  'login_hint',
  'prompt',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'hd',
]);
const PROMPTS: ReadonlySet<string> = new Set(['none', 'consent', 'select_account']);

/** An authorization request (RFC 6749 §4.1.1) that is in order. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  /** Full names. */
  scopes: readonly string[];
  state: string | null;
  isOffline: boolean;
  includeGrantedScopes: boolean;
  loginHint: string | null;
  prompt: ReadonlySet<string>;
  challenge: CodeChallenge | null;
  nonce: string | null;
}

/** A request that Google answers on a page of its own, because nobody is known whom to send back to. */
export class AuthorizationFault extends Error {
  override readonly name = 'AuthorizationFault';

  constructor(
    readonly status: 400 | 401,
    readonly code: string,
    message: string,
    /** Whether a correct client can come to it: a client id or a redirect URI is up to whoever configures it. */
    readonly isConfiguration = false,
  ) {
    super(message);
  }
}

/** @throws AuthorizationFault */
export function parseAuthorizationRequest(query: URLSearchParams, clients: ClientRegistry): AuthorizationRequest {
  for (const name of query.keys()) {
    if (!PARAMETERS.has(name)) throw invalid(`Parameter not allowed for this message type: ${name}`);
    if (query.getAll(name).length > 1) throw invalid(`OAuth 2 parameters can only have a single value: ${name}`);
  }
  const clientId = required(query, 'client_id');
  const client = clients.find(clientId);
  if (client === undefined) {
    if (clients.wasDeleted(clientId)) throw configuration(401, 'deleted_client', 'The OAuth client was deleted.');
    throw configuration(401, 'invalid_client', 'The OAuth client was not found.');
  }
  const redirectUri = required(query, 'redirect_uri');
  if (!client.redirectUris.includes(redirectUri)) {
    throw configuration(
      400,
      'redirect_uri_mismatch',
      `The redirect URI in the request, ${redirectUri}, does not match the ones authorized for the OAuth client.`,
    );
  }
  const responseType = required(query, 'response_type');
  if (responseType !== 'code') {
    throw new AuthorizationFault(400, 'unsupported_response_type', `Invalid response_type: ${responseType}`);
  }
  return {
    clientId,
    redirectUri,
    scopes: scopesOf(query),
    state: query.get('state'),
    isOffline: oneOf(query, 'access_type', ['online', 'offline']) === 'offline',
    includeGrantedScopes: oneOf(query, 'include_granted_scopes', ['true', 'false']) === 'true',
    loginHint: query.get('login_hint'),
    prompt: promptOf(query),
    challenge: challengeOf(query),
    nonce: query.get('nonce'),
  };
}

function scopesOf(query: URLSearchParams): string[] {
  const scopes = parseScopes(required(query, 'scope'));
  if (scopes.length === 0) throw invalid('Missing required parameter: scope');
  const unknown = scopes.filter((scope) => !isKnownScope(scope));
  if (unknown.length > 0) {
    const valid = scopes.filter(isKnownScope);
    throw new AuthorizationFault(
      400,
      'invalid_scope',
      `Some requested scopes were invalid. {valid=[${valid.join(', ')}], invalid=[${unknown.join(', ')}]}`,
    );
  }
  return scopes;
}

function promptOf(query: URLSearchParams): ReadonlySet<string> {
  const prompt = new Set((query.get('prompt') ?? '').split(' ').filter((value) => value !== ''));
  const isKnown = [...prompt].every((value) => PROMPTS.has(value));
  if (!isKnown || (prompt.has('none') && prompt.size > 1)) {
    throw invalid(`Invalid parameter value for prompt: ${query.get('prompt')}`);
  }
  return prompt;
}

/** RFC 7636 §4.3; without a method: plain. */
function challengeOf(query: URLSearchParams): CodeChallenge | null {
  const value = query.get('code_challenge');
  const method = oneOf(query, 'code_challenge_method', ['S256', 'plain']) ?? 'plain';
  if (value === null) {
    if (query.has('code_challenge_method')) throw invalid('Missing required parameter: code_challenge');
    return null;
  }
  const challenge = { value, method };
  if (!isWellFormedChallenge(challenge)) throw invalid('Invalid parameter value for code_challenge');
  return challenge;
}

function required(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value === null || value === '') throw invalid(`Missing required parameter: ${name}`);
  return value;
}

function oneOf<T extends string>(query: URLSearchParams, name: string, values: readonly T[]): T | null {
  const value = query.get(name);
  if (value === null) return null;
  const known = values.find((candidate) => candidate === value);
  if (known === undefined) throw invalid(`Invalid parameter value for ${name}: ${value}`);
  return known;
}

function invalid(message: string): AuthorizationFault {
  return new AuthorizationFault(400, 'invalid_request', message);
}

function configuration(status: 400 | 401, code: string, message: string): AuthorizationFault {
  return new AuthorizationFault(status, code, message, true);
}
