import { isWellFormedChallenge, type CodeChallenge } from '../../oauth/code-challenge.js';
import { AadstsRefusal } from './aadsts.js';
import type { MicrosoftClient, MicrosoftClients } from './clients.js';
import { isKnownScope, parseScopes } from './scopes.js';
import type { TenantSegment } from './tenants.js';

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow#request-an-authorization-code */
const PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'prompt',
  'login_hint',
  'domain_hint',
  'code_challenge',
  'code_challenge_method',
]);
const PROMPTS = ['login', 'none', 'consent', 'select_account'] as const;

/** An authorization request (RFC 6749 §4.1.1) that is in order. */
export interface AuthorizationRequest {
  tenant: TenantSegment;
  clientId: string;
  redirectUri: string;
  /** Short names. */
  scopes: readonly string[];
  state: string | null;
  loginHint: string | null;
  prompt: (typeof PROMPTS)[number] | null;
  challenge: CodeChallenge | null;
  nonce: string | null;
}

/** Where an answer goes, good or bad. */
export type ReturnAddress = Pick<AuthorizationRequest, 'redirectUri' | 'state'>;

/** A refusal that the client gets to know: its redirect URI is in order. */
export class ReturnedRefusal extends Error {
  override readonly name = 'ReturnedRefusal';

  constructor(
    readonly to: ReturnAddress,
    readonly refusal: AadstsRefusal,
  ) {
    super(refusal.message);
  }
}

/** @throws AadstsRefusal for a page of Microsoft's own; ReturnedRefusal for what the client is told */
export function parseAuthorizationRequest(
  tenant: TenantSegment,
  query: URLSearchParams,
  clients: MicrosoftClients,
): AuthorizationRequest {
  const client = registeredClient(tenant, required(query, 'client_id'), clients);
  const redirectUri = required(query, 'redirect_uri');
  if (!client.redirectUris.includes(redirectUri)) {
    const message = `The redirect URI '${redirectUri}' specified in the request does not match the redirect URIs configured for the application '${client.clientId}'.`;
    throw new AadstsRefusal('invalid_request', [50011], message);
  }
  const state = query.get('state');
  try {
    return { ...readParameters(query), tenant, clientId: client.clientId, redirectUri, state };
  } catch (error) {
    if (error instanceof AadstsRefusal) throw new ReturnedRefusal({ redirectUri, state }, error);
    throw error;
  }
}

/** @throws AadstsRefusal for a client that is nobody's, or not made for the users of this segment */
export function registeredClient(tenant: TenantSegment, clientId: string, clients: MicrosoftClients): MicrosoftClient {
  const client = clients.find(clientId);
  if (client === undefined) {
    const message = `Application with identifier '${clientId}' was not found in the directory '${tenant}'.`;
    throw new AadstsRefusal('unauthorized_client', [700016], message);
  }
  const { audience } = client;
  if (audience === 'consumers' && tenant !== 'consumers') {
    const message = `Application '${clientId}' is configured for use by Microsoft Account users only. Please use the /consumers endpoint.`;
    throw new AadstsRefusal('invalid_request', [9002331], message);
  }
  const isOneDirectory = audience !== 'any' && audience !== 'organizations' && audience !== 'consumers';
  if (isOneDirectory && tenant !== audience) {
    const message = `Application '${clientId}' is not configured as a multi-tenant application. Use a tenant-specific endpoint or configure the application to be multi-tenant.`;
    throw new AadstsRefusal('invalid_request', [50194], message);
  }
  return client;
}

function readParameters(
  query: URLSearchParams,
): Pick<AuthorizationRequest, 'scopes' | 'loginHint' | 'prompt' | 'challenge' | 'nonce'> {
  for (const name of query.keys()) {
    if (!PARAMETERS.has(name)) throw invalid(9002313, `Invalid request. The parameter ${name} is unknown.`);
    if (query.getAll(name).length > 1) throw invalid(9000411, `The parameter '${name}' is duplicated.`);
  }
  if (required(query, 'response_type') !== 'code') {
    throw new AadstsRefusal('unsupported_response_type', [700054], 'response_type is not enabled.', {
      isViolation: true,
    });
  }
  oneOf(query, 'response_mode', ['query']);
  return {
    scopes: scopesOf(required(query, 'scope')),
    loginHint: query.get('login_hint'),
    prompt: oneOf(query, 'prompt', PROMPTS),
    challenge: challengeOf(query),
    nonce: query.get('nonce'),
  };
}

/** @throws AadstsRefusal */
export function scopesOf(list: string): string[] {
  const scopes = parseScopes(list);
  const unknown = scopes.filter((scope) => !isKnownScope(scope));
  if (unknown.length === 0 && scopes.length > 0) return scopes;
  const message = `The provided request must include a 'scope' input parameter. The scope ${unknown.join(' ')} isn't valid.`;
  throw new AadstsRefusal('invalid_scope', [70011], message);
}

/** RFC 7636 §4.3; without a method: plain. */
function challengeOf(query: URLSearchParams): CodeChallenge | null {
  const value = query.get('code_challenge');
  const method = oneOf(query, 'code_challenge_method', ['S256', 'plain']) ?? 'plain';
  if (value === null) {
    if (query.has('code_challenge_method')) throw missing('code_challenge');
    return null;
  }
  const challenge = { value, method };
  if (!isWellFormedChallenge(challenge)) throw invalid(501491, 'Invalid size of Code_Challenge parameter.');
  return challenge;
}

function required(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value === null || value === '') throw missing(name);
  return value;
}

function oneOf<T extends string>(query: URLSearchParams, name: string, values: readonly T[]): T | null {
  const value = query.get(name);
  if (value === null) return null;
  const known = values.find((candidate) => candidate === value);
  if (known === undefined) throw invalid(90023, `Unsupported '${name}' value.`);
  return known;
}

function missing(name: string): AadstsRefusal {
  return invalid(900144, `The request body must contain the following parameter: '${name}'.`);
}

function invalid(code: number, message: string): AadstsRefusal {
  return new AadstsRefusal('invalid_request', [code], message, { isViolation: true });
}
