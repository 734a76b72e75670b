import type { TokenRules } from '../../oauth/grants.js';
import type { MicrosoftClients } from './clients.js';

/** https://learn.microsoft.com/entra/identity-platform/refresh-tokens */
export function microsoftTokenRules(clients: MicrosoftClients): TokenRules {
  return {
    accessTokenPrefix: 'EwB4',
    refreshTokenPrefix: '1.AXk',
    unusedForMs: 90 * 86_400_000,
    liveRefreshTokens: Infinity,
    hasEnded: () => false,
    hasClient: (clientId) => clients.find(clientId) !== undefined,
  };
}
