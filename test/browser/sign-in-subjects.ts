import { startGoogleService, TEST_CLIENT } from '../support/google-service.js';
import { startMicrosoftService, TEST_MICROSOFT_CLIENT } from '../support/microsoft-service.js';
import type { OAuthAccounts, OAuthProvider } from '../support/oauth-accounts.js';
import { FULL_SCOPES, type Sandbox } from '../support/sandbox.js';
import { MICROSOFT_SCOPES } from '../support/sandbox-microsoft.js';
import type { SandboxedSettings } from '../support/sandboxed-service.js';

const GOOGLE_ISSUER = 'https://accounts.google.com';

/** What both halves of the sandbox can be told alike. */
export type SandboxHalf = Pick<
  Sandbox,
  'removeUser' | 'revoke' | 'grant' | 'expireAccessTokens' | 'fault' | 'clearFaults' | 'requests' | 'clearRequests'
> & {
  addUser(user: { email: string }): Promise<unknown>;
  addClient(client: { clientId: string; clientSecret: string; redirectUris: string[] }): Promise<void>;
};

/** A provider that users sign in at, in the sandbox. */
export interface SignInSubject extends Pick<OAuthProvider, 'providerType' | 'client'> {
  /** In paths. */
  provider: 'google' | 'microsoft';
  start(settings?: SandboxedSettings): Promise<OAuthAccounts & { stop(): Promise<void> }>;
  /** Of the sign-in pages, as the service knows them. */
  origin(sandbox: Sandbox): string;
  half(sandbox: Sandbox): SandboxHalf;
  /** What the service asks for. */
  scopes: readonly string[];
  /** Where its id_tokens are verified with. */
  keysUrl(sandbox: Sandbox): string;
  /** What its id_tokens say of a user, but for client, sign-in and time. */
  claims(sandbox: Sandbox, email: string): Promise<Record<string, unknown>>;
}

export const GOOGLE: SignInSubject = {
  ...{ providerType: 'GOOGLE', provider: 'google', client: TEST_CLIENT },
  start: startGoogleService,
  origin: ({ googleUrl }) => googleUrl,
  half: (sandbox) => sandbox,
  scopes: FULL_SCOPES,
  keysUrl: ({ googleUrl }) => `${googleUrl}/oauth2/v3/certs`,
  async claims(sandbox, email) {
    const user = (await sandbox.users()).find((each) => each.email === email);
    return { iss: GOOGLE_ISSUER, sub: user?.sub, email, email_verified: true };
  },
};

export const MICROSOFT: SignInSubject = {
  ...{ providerType: 'MICROSOFT', provider: 'microsoft', client: TEST_MICROSOFT_CLIENT },
  start: startMicrosoftService,
  origin: ({ microsoftUrl }) => microsoftUrl,
  half: ({ microsoft }) => microsoft,
  scopes: MICROSOFT_SCOPES,
  keysUrl: ({ microsoftUrl }) => `${microsoftUrl}/common/discovery/v2.0/keys`,
  async claims({ microsoft, microsoftUrl }, email) {
    const user = (await microsoft.users()).find((each) => each.email === email);
    const { tid, oid } = user ?? {};
    return { iss: `${microsoftUrl}/${tid}/v2.0`, sub: 'pairwise', tid, oid, email, preferred_username: email };
  },
};
