import { createMicrosoftProvider } from '#providers/microsoft';
import { CountedPermits, MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { oauthSession } from '#domain/testing/oauth-session';
import { openSandbox } from '../../support/opened-sandbox.js';
import { MicrosoftSandboxControls } from '../../support/sandbox-microsoft.js';
import { CountingEgress, type CountedAccount } from './counted-account.js';

const EMAIL = 'ida@fabrikam.example';
const CLIENT = {
  clientId: '5e2c1a70-0d7c-4a1e-9b57-3b1f6a2d9c02',
  clientSecret: 'adapter-secret',
  redirectUris: ['http://127.0.0.1/'],
};

export async function openMicrosoft(): Promise<CountedAccount> {
  const { sandbox, control } = await openSandbox();
  const loginUrl = sandbox.urls.microsoft;
  const egress = new CountingEgress();
  const snapshots = new MemorySnapshots();
  const microsoft = new MicrosoftSandboxControls(loginUrl, control);
  await microsoft.addClient(CLIENT);
  await microsoft.addUser({ email: EMAIL, mailboxTimeZone: 'W. Europe Standard Time' });
  const grant = await microsoft.grant(EMAIL, CLIENT.clientId);
  return {
    egress,
    session: oauthSession(EMAIL, { clientId: CLIENT.clientId, ...grant }),
    provider: () =>
      createMicrosoftProvider({
        ...{ egress, snapshots, budget: new UnlimitedRate(), requestsPerMinute: 100_000, timeoutMs: 30_000 },
        ...{ slots: new CountedPermits(), graphUrl: `${loginUrl}/v1.0`, loginUrl },
        nowMs: () => Date.now(),
      }),
    async close() {
      await egress.close();
      await sandbox.close();
    },
  };
}
