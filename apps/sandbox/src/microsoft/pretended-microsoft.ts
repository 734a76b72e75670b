import { microsoftControls } from '../control/microsoft-controls.js';
import { Journal } from '../journal.js';
import { pretendedProvider, type PretendedProvider, type ProviderSite } from '../pretended-provider.js';
import { seedDemo } from './demo-seed.js';
import { MicrosoftEndpoints } from './microsoft-endpoints.js';
import { MicrosoftSandbox } from './microsoft-sandbox.js';

export function pretendedMicrosoft({ clock, redirectUris, demoClient, url }: ProviderSite): PretendedProvider {
  const journal = new Journal(clock);
  const microsoft = new MicrosoftSandbox({ clock, journal, url });
  const endpoints = new MicrosoftEndpoints(microsoft, journal, clock, url);
  return pretendedProvider({
    journal,
    controls: microsoftControls(microsoft, clock),
    seed: () => seedDemo(microsoft, clock, { ...demoClient, redirectUris }),
    state: microsoft,
    endpoints,
    demoClientId: demoClient.clientId,
    redirectUris,
  });
}
