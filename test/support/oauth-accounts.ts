import type { GrantedTokens, Sandbox } from './sandbox.js';
import type { Answer, Service } from './service.js';

/** Accounts of the sandbox at one provider, and a service with an OAuth client there. */
export interface OAuthAccounts {
  sandbox: Sandbox;
  service: Service;
  /** Connects a user of the sandbox with a fresh grant; the user is made first when there is none. */
  connect(email: string, scopes?: string[]): Promise<Answer>;
  /** The same, for tests that are about something else. `calendarId`: of the primary calendar. */
  connected(email: string): Promise<{ accountId: string; calendarId: string; grant: GrantedTokens }>;
}

/** One half of the sandbox, as far as it takes to connect somebody. */
export interface OAuthProvider {
  providerType: 'GOOGLE' | 'MICROSOFT';
  client: { clientId: string; clientSecret: string };
  /** Registers the service's client. */
  addClient(redirectUri: string): Promise<void>;
  ensureUser(email: string): Promise<unknown>;
  grant(email: string, clientId: string, scopes?: string[]): Promise<GrantedTokens>;
  /** Of somebody's primary calendar, without a request of the service when it can be known. */
  primaryCalendar(email: string): Promise<string>;
}

/** @param service one that was pointed at the sandbox */
export async function oauthAccounts(
  sandbox: Sandbox,
  service: Service,
  { providerType, client, addClient, ensureUser, grant, primaryCalendar }: OAuthProvider,
): Promise<OAuthAccounts> {
  const provider = providerType.toLowerCase();
  await addClient(`${service.baseUrl}/api/v1/oauth/callback/${provider}`);
  await service.setOAuthClient({ providerType, ...client });
  const connectWith = (email: string, { refreshToken }: GrantedTokens): Promise<Answer> =>
    service.call('POST', '/v1/endUserAccounts', { body: { email, providerType, refreshToken } });
  return {
    sandbox,
    service,
    async connect(email, scopes) {
      await ensureUser(email);
      return connectWith(email, await grant(email, client.clientId, scopes));
    },
    async connected(email) {
      await ensureUser(email);
      const tokens = await grant(email, client.clientId);
      const { status, body } = await connectWith(email, tokens);
      if (status !== 200) throw new Error(`cannot connect ${email}: ${status} ${JSON.stringify(body)}`);
      return { accountId: body.id, calendarId: await primaryCalendar(email), grant: tokens };
    },
  };
}
