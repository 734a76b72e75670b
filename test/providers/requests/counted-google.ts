import { createGoogleProvider } from '#providers/google';
import { MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { oauthSession } from '#domain/testing/oauth-session';
import { openSandbox } from '../../support/opened-sandbox.js';
import { CountingEgress, type CountedAccount } from './counted-account.js';

const EMAIL = 'alice@example.test';
const CLIENT = {
  clientId: 'adapter.apps.sandbox',
  clientSecret: 'adapter-secret',
  redirectUris: ['http://127.0.0.1/'],
};
const SCOPES = ['openid', 'email', 'https://www.googleapis.com/auth/calendar'];

export async function openGoogle(): Promise<CountedAccount> {
  const { sandbox, control } = await openSandbox();
  const { google } = sandbox.urls;
  const egress = new CountingEgress();
  const snapshots = new MemorySnapshots();
  await control('POST', '/google/clients', CLIENT);
  await control('POST', '/google/users', { email: EMAIL, timeZone: 'Europe/Berlin', workspace: true });
  const grant = await control('POST', '/google/grants', { email: EMAIL, clientId: CLIENT.clientId, scopes: SCOPES });
  return {
    egress,
    session: oauthSession(EMAIL, { clientId: CLIENT.clientId, ...grant }),
    provider: () =>
      createGoogleProvider({
        ...{ egress, snapshots, budget: new UnlimitedRate(), requestsPerMinute: 100_000, timeoutMs: 30_000 },
        ...{ apiUrl: google, oauthUrl: google, tokenUrl: google },
        nowMs: () => Date.now(),
      }),
    async close() {
      await egress.close();
      await sandbox.close();
    },
  };
}
