import { createGoogleProvider } from '#providers/google';
import {
  startAdapterOnSandbox,
  type AdapterOnSandbox,
  type SandboxedProvider,
} from '../../../support/adapter-on-sandbox.js';

export const CLIENT = {
  clientId: 'adapter.apps.sandbox',
  clientSecret: 'canary-adapter-secret',
  scopes: null,
  tenant: null,
};
export const MARA = 'mara.field@example.com';
export const RAVI = 'ravi.stone@example.com';

export type SandboxedAdapter = AdapterOnSandbox;

/** The adapter with an OAuth client that the sandbox has. */
export function sandboxedGoogle(clientId: string): SandboxedProvider {
  return {
    clientId,
    originOf: ({ googleUrl }) => googleUrl,
    create: ({ sandbox: { googleUrl }, ...host }) =>
      createGoogleProvider({
        ...host,
        ...{ apiUrl: googleUrl, oauthUrl: googleUrl, tokenUrl: googleUrl },
        requestsPerMinute: 600,
      }),
    grant: (sandbox, email, scopes) => sandbox.grant(email, clientId, scopes),
  };
}

/** The adapter on a sandbox with two people. */
export function startSandboxedAdapter(): Promise<SandboxedAdapter> {
  const { clientId, clientSecret } = CLIENT;
  return startAdapterOnSandbox(sandboxedGoogle(clientId), async (sandbox) => {
    await sandbox.addClient({ clientId, clientSecret, redirectUris: ['http://127.0.0.1/cb'] });
    for (const email of [MARA, RAVI]) await sandbox.addUser({ email, timeZone: 'Europe/Lisbon' });
  });
}
