import { isEmail } from '../accounts.js';
import type { OpenIdProvider } from '../openid/openid-provider.js';
import { flag, list, object, redirectUri, text, textLike } from './input.js';
import { post, type ControlRoute } from './routes.js';

export function openIdControls(provider: OpenIdProvider): ControlRoute[] {
  return [
    post('/oidc/clients', object({ clientId: text, clientSecret: text, redirectUris: list(redirectUri) }), (client) =>
      provider.register(client),
    ),
    post(
      '/oidc/emails',
      object({ email: textLike(isEmail, 'an email address'), isVerified: flag }),
      ({ email, isVerified }) => provider.setVerified(email, isVerified),
    ),
  ];
}
