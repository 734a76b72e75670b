import { startSandbox, type GrantedTokens, type Sandbox } from './sandbox.js';
import { startService, type Answer, type Service } from './service.js';

/** The OAuth client that the service under test has at the sandbox. */
export const TEST_CLIENT = { clientId: 'service.apps.sandbox', clientSecret: 'service-secret' };

/** The sandbox for Google, and an OAuth client of a service's first application there. */
export interface GoogleAccounts {
  sandbox: Sandbox;
  service: Service;
  /** Connects a user of the sandbox with a fresh grant; the account is made first when there is none. */
  connect(email: string, scopes?: string[]): Promise<Answer>;
  /** The same, for tests that are about something else. */
  connected(email: string): Promise<{ accountId: string; calendarId: string; grant: GrantedTokens }>;
}

export interface GoogleService extends GoogleAccounts {
  stop(): Promise<void>;
}

/** @param settings environment of the service on top of what it needs */
export async function startGoogleService(
  settings: NodeJS.ProcessEnv | ((sandbox: Sandbox) => NodeJS.ProcessEnv) = {},
): Promise<GoogleService> {
  const sandbox = await startSandbox();
  let service: Service;
  try {
    service = await startService({
      ...sandbox.env,
      GOOGLE_REQUESTS_PER_MINUTE: '100000',
      ...(typeof settings === 'function' ? settings(sandbox) : settings),
    });
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
  return {
    ...(await googleAccounts(sandbox, service)),
    async stop() {
      await service.stop();
      await sandbox.stop();
    },
  };
}

/** @param service one that was pointed at the sandbox */
export async function googleAccounts(sandbox: Sandbox, service: Service): Promise<GoogleAccounts> {
  await sandbox.addClient({
    ...TEST_CLIENT,
    redirectUris: [`${service.baseUrl}/api/v1/oauth/callback/google`],
  });
  const { clientId, clientSecret } = TEST_CLIENT;
  await service.ops(
    ...['oauth-client', 'set', '--application', service.applicationId, '--provider', 'google'],
    ...['--client-id', clientId, '--client-secret', clientSecret],
  );
  const ensureUser = async (email: string): Promise<void> => {
    if ((await sandbox.users()).some((user) => user.email === email)) return;
    await sandbox.addUser({ email, timeZone: 'Europe/Berlin', workspace: true });
  };
  const connectWith = (email: string, grant: GrantedTokens): Promise<Answer> =>
    service.call('POST', '/v1/endUserAccounts', {
      body: { email, providerType: 'GOOGLE', refreshToken: grant.refreshToken },
    });
  return {
    sandbox,
    service,
    async connect(email, scopes) {
      await ensureUser(email);
      return connectWith(email, await sandbox.grant(email, clientId, scopes));
    },
    async connected(email) {
      await ensureUser(email);
      const grant = await sandbox.grant(email, clientId);
      const { status, body } = await connectWith(email, grant);
      if (status !== 200) throw new Error(`cannot connect ${email}: ${status} ${JSON.stringify(body)}`);
      return { accountId: body.id, calendarId: email, grant };
    },
  };
}
