import { googleControls } from '../control/google-controls.js';
import { openIdControls } from '../control/openid-controls.js';
import { Journal } from '../journal.js';
import { sandboxProvider, type SandboxProvider, type ProviderContext } from '../sandbox-provider.js';
import { seedDemo } from './demo-seed.js';
import { GoogleEndpoints } from './google-endpoints.js';
import { GoogleSandbox } from './google-sandbox.js';

export function sandboxGoogle({
  clock,
  redirectUris,
  demoClient,
  operatorsClient,
  url,
}: ProviderContext): SandboxProvider {
  const journal = new Journal(clock);
  const google = new GoogleSandbox({ clock, journal });
  const endpoints = new GoogleEndpoints(google, journal, clock, url);
  // Registered at every start, because the service may have moved.
  endpoints.openId.register({ ...operatorsClient, redirectUris });
  return sandboxProvider({
    journal,
    controls: [...googleControls(google), ...openIdControls(endpoints.openId)],
    seed: () => seedDemo(google, clock, { ...demoClient, redirectUris }),
    state: google,
    endpoints,
    demoClientId: demoClient.clientId,
    redirectUris,
  });
}
