import type { TokenRules } from '../../oauth/grants.js';
import type { ClientRegistry } from './clients.js';
import { isSignInScope } from './scopes.js';

const DAY_MS = 86_400_000;
const TESTING_FOR_MS = 7 * DAY_MS;

/** https://developers.google.com/identity/protocols/oauth2#expiration */
export function googleTokenRules(clients: ClientRegistry): TokenRules {
  return {
    accessTokenPrefix: 'ya29.a0',
    refreshTokenPrefix: '1//0',
    unusedForMs: 182 * DAY_MS,
    liveRefreshTokens: 100,
    hasEnded: ({ grant, scopes, issuedAtMs }, nowMs) =>
      clients.find(grant.clientId)?.publishing === 'testing' &&
      nowMs - issuedAtMs >= TESTING_FOR_MS &&
      ![...scopes].every(isSignInScope),
    hasClient: (clientId) => clients.find(clientId) !== undefined,
  };
}
