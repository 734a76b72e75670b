import type { AccountSession } from '#domain/providers';

/** Tokens as a client got them. */
interface Tokens {
  clientId: string;
  accessToken: string;
  refreshToken: string;
}

/** An account of whoever has this address, for one operation; what adapters keep of it is forgotten. */
export function oauthSession(
  email: string,
  { clientId, accessToken, refreshToken }: Tokens,
  overrides: Partial<AccountSession> = {},
): AccountSession {
  return {
    applicationId: 'application',
    accountId: email,
    email,
    serverUrl: null,
    credentials: { kind: 'oauth', clientId, accessToken, refreshToken, expiresAt: null },
    providerState: null,
    signal: new AbortController().signal,
    saveProviderState: () => Promise.resolve(),
    ...overrides,
  };
}
