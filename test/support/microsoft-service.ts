import { oauthAccounts, type OAuthAccounts } from './oauth-accounts.js';
import { startSandboxedService, type SandboxedSettings } from './sandboxed-service.js';
import type { Sandbox } from './sandbox.js';
import type { Service } from './service.js';

/** The OAuth client that the service under test has at the sandbox. */
export const TEST_MICROSOFT_CLIENT = {
  clientId: '5e2c1a70-0d7c-4a1e-9b57-3b1f6a2d9c01',
  clientSecret: 'service-secret',
};

/** The service, with the sandbox for Microsoft, and an OAuth client of its first application there. */
export interface MicrosoftService extends OAuthAccounts {
  stop(): Promise<void>;
}

/** @param settings environment of a service of its own, on top of what it needs; none: the one that suites share */
export async function startMicrosoftService(settings?: SandboxedSettings): Promise<MicrosoftService> {
  return startSandboxedService(microsoftAccounts, settings);
}

/** @param service one that was pointed at the sandbox */
export async function microsoftAccounts(sandbox: Sandbox, service: Service): Promise<OAuthAccounts> {
  const { microsoft } = sandbox;
  return oauthAccounts(sandbox, service, {
    providerType: 'MICROSOFT',
    client: TEST_MICROSOFT_CLIENT,
    addClient: (redirectUri) => microsoft.addClient({ ...TEST_MICROSOFT_CLIENT, redirectUris: [redirectUri] }),
    async ensureUser(email) {
      if ((await microsoft.users()).some((user) => user.email === email)) return;
      await microsoft.addUser({ email, mailboxTimeZone: 'W. Europe Standard Time' });
    },
    grant: (...grant) => microsoft.grant(...grant),
    async primaryCalendar(email) {
      const { body } = await microsoft.act<{ id: string }>({ email, methodId: 'get_me_calendar' });
      return body.id;
    },
  });
}
