import { oauthAccounts, type OAuthAccounts } from './oauth-accounts.js';
import { startSandboxedService, type SandboxedSettings } from './sandboxed-service.js';
import type { Sandbox } from './sandbox.js';
import type { Service } from './service.js';

/** The OAuth client that the service under test has at the sandbox. */
export const TEST_CLIENT = { clientId: 'service.apps.sandbox', clientSecret: 'service-secret' };

/** The service, with the sandbox for Google, and an OAuth client of its first application there. */
export interface GoogleService extends OAuthAccounts {
  stop(): Promise<void>;
}

/** @param settings environment of a service of its own, on top of what it needs; none: the one that suites share */
export async function startGoogleService(settings?: SandboxedSettings): Promise<GoogleService> {
  return startSandboxedService(googleAccounts, settings);
}

/** @param service one that was pointed at the sandbox */
export async function googleAccounts(sandbox: Sandbox, service: Service): Promise<OAuthAccounts> {
  return oauthAccounts(sandbox, service, {
    providerType: 'GOOGLE',
    client: TEST_CLIENT,
    addClient: (redirectUri) => sandbox.addClient({ ...TEST_CLIENT, redirectUris: [redirectUri] }),
    async ensureUser(email) {
      if ((await sandbox.users()).some((user) => user.email === email)) return;
      await sandbox.addUser({ email, timeZone: 'Europe/Berlin', workspace: true });
    },
    grant: (...grant) => sandbox.grant(...grant),
    primaryCalendar: (email) => Promise.resolve(email),
  });
}
