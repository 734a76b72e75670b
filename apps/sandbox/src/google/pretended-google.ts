import { googleControls } from '../control/google-controls.js';
import { Journal } from '../journal.js';
import { followRedirectUris } from '../oauth/redirect-uris.js';
import type { PretendedProvider, ProviderSite } from '../pretended-provider.js';
import { DEMO_CLIENT } from './demo-client.js';
import { seedDemo } from './demo-seed.js';
import { GoogleEndpoints } from './google-endpoints.js';
import { GoogleSandbox, type GoogleSnapshot } from './google-sandbox.js';

export function pretendedGoogle({ clock, egress, redirectUris, url }: ProviderSite): PretendedProvider {
  const journal = new Journal(clock);
  const google = new GoogleSandbox({ clock, journal, egress });
  const endpoints = new GoogleEndpoints(google, journal, clock, url);
  return {
    journal,
    controls: googleControls(google),
    handle: (request) => endpoints.handle(request),
    seed: () => seedDemo(google, clock, redirectUris),
    followRedirectUris: () => followRedirectUris(google.clients, DEMO_CLIENT.clientId, redirectUris),
    prepare: () => void google.signingKey.prepare(),
    snapshot: () => google.snapshot(),
    restore: (snapshot) => google.restore(snapshot as GoogleSnapshot),
    reset() {
      google.reset();
      endpoints.reset();
      journal.clear();
    },
    close: () => google.messages.close(),
  };
}
