import { microsoftControls } from '../control/microsoft-controls.js';
import { Journal } from '../journal.js';
import { pretendedProvider, type PretendedProvider, type ProviderSite } from '../pretended-provider.js';
import { DEMO_CLIENTS } from '../demo-clients.js';
import { seedDemo } from './demo-seed.js';
import { MicrosoftEndpoints } from './microsoft-endpoints.js';
import { MicrosoftSandbox } from './microsoft-sandbox.js';

export function pretendedMicrosoft({ clock, redirectUris, url }: ProviderSite): PretendedProvider {
  const journal = new Journal(clock);
  const microsoft = new MicrosoftSandbox({ clock, journal, url });
  const endpoints = new MicrosoftEndpoints(microsoft, journal, clock, url);
  return pretendedProvider({
    journal,
    controls: microsoftControls(microsoft, clock),
    seed: () => seedDemo(microsoft, clock, redirectUris),
    state: microsoft,
    endpoints,
    demoClientId: DEMO_CLIENTS.microsoft.clientId,
    redirectUris,
  });
}
