import { microsoftControls } from '../control/microsoft-controls.js';
import { Journal } from '../journal.js';
import { followRedirectUris } from '../oauth/redirect-uris.js';
import type { PretendedProvider, ProviderSite } from '../pretended-provider.js';
import { DEMO_CLIENT } from './demo-client.js';
import { seedDemo } from './demo-seed.js';
import { MicrosoftEndpoints } from './microsoft-endpoints.js';
import { MicrosoftSandbox, type MicrosoftSnapshot } from './microsoft-sandbox.js';

export function pretendedMicrosoft({ clock, egress, redirectUris, url }: ProviderSite): PretendedProvider {
  const journal = new Journal(clock);
  const microsoft = new MicrosoftSandbox({ clock, egress, url });
  const endpoints = new MicrosoftEndpoints(microsoft, journal, clock, url);
  return {
    journal,
    controls: microsoftControls(microsoft, clock),
    handle: (request) => endpoints.handle(request),
    seed: () => seedDemo(microsoft, clock, redirectUris),
    followRedirectUris: () => followRedirectUris(microsoft.clients, DEMO_CLIENT.clientId, redirectUris),
    prepare: () => void microsoft.signingKey.prepare(),
    snapshot: () => microsoft.snapshot(),
    restore: (snapshot) => microsoft.restore(snapshot as MicrosoftSnapshot),
    reset() {
      microsoft.reset();
      endpoints.reset();
      journal.clear();
    },
    close: () => microsoft.messages.close(),
  };
}
