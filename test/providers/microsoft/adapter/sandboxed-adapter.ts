import { CountedPermits } from '#domain/testing/memory-stores';
import { createMicrosoftProvider } from '#providers/microsoft';
import {
  startAdapterOnSandbox,
  type AdapterOnSandbox,
  type SandboxedProvider,
} from '../../../support/adapter-on-sandbox.js';

export const CLIENT = {
  clientId: '0a5c2b7e-3d41-4f60-9c11-1f2e3d4c5b6a',
  clientSecret: 'canary-adapter-secret',
  scopes: null,
  tenant: null,
};
/** A work account, and a personal one. */
export const IDA = 'ida.berg@fabrikam.example';
export const PIA = 'pia.lind@outlook.example';

export interface SandboxedAdapter extends AdapterOnSandbox {
  slots: CountedPermits;
}

/** The adapter with an OAuth client that the sandbox has. */
export function sandboxedMicrosoft(clientId: string, slots = new CountedPermits()): SandboxedProvider {
  return {
    clientId,
    originOf: ({ microsoftUrl }) => microsoftUrl,
    create: ({ sandbox: { microsoftUrl }, ...host }) =>
      createMicrosoftProvider({
        ...host,
        ...{ slots, graphUrl: microsoftUrl, loginUrl: microsoftUrl },
        requestsPerMinute: 1_000,
      }),
    grant: ({ microsoft }, email, scopes) => microsoft.grant(email, clientId, scopes),
  };
}

/** The adapter on a sandbox with two people. */
export async function startSandboxedAdapter(): Promise<SandboxedAdapter> {
  const { clientId, clientSecret } = CLIENT;
  const slots = new CountedPermits();
  const adapter = await startAdapterOnSandbox(sandboxedMicrosoft(clientId, slots), async ({ microsoft }) => {
    await microsoft.addClient({ clientId, clientSecret, redirectUris: ['http://127.0.0.1/cb'] });
    await microsoft.addUser({ email: IDA, kind: 'work', mailboxTimeZone: 'W. Europe Standard Time' });
    await microsoft.addUser({ email: PIA, kind: 'personal', mailboxTimeZone: 'GMT Standard Time' });
  });
  return { ...adapter, slots };
}
