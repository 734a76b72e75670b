import { microsoftControls } from '../control/microsoft-controls.js';
import { Journal } from '../journal.js';
import { sandboxProvider, type SandboxProvider, type ProviderContext } from '../sandbox-provider.js';
import { seedDemo } from './demo-seed.js';
import { MicrosoftEndpoints } from './microsoft-endpoints.js';
import { MicrosoftSandbox } from './microsoft-sandbox.js';

export function sandboxMicrosoft({ clock, redirectUris, demoClient, url }: ProviderContext): SandboxProvider {
  const journal = new Journal(clock);
  const microsoft = new MicrosoftSandbox({ clock, journal, url });
  const endpoints = new MicrosoftEndpoints(microsoft, journal, clock, url);
  return sandboxProvider({
    journal,
    controls: microsoftControls(microsoft, clock),
    seed: () => seedDemo(microsoft, clock, { ...demoClient, redirectUris }),
    state: microsoft,
    endpoints,
    demoClientId: demoClient.clientId,
    redirectUris,
  });
}
