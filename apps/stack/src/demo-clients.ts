import { OAUTH_PROVIDERS } from '#providers';

/** OAuth clients that `npm start` registers in the sandbox and sets for the demo application. */
export const DEMO_CLIENTS = OAUTH_PROVIDERS.map(({ type, slug }) => ({
  type,
  slug,
  clientId: `demo-${slug}.apps.sandbox`,
  clientSecret: `demo-${slug}-secret`,
}));

/** Client of the sandbox's OpenID provider, for operator sign-in. */
export const OPERATORS_CLIENT = { clientId: 'demo-operators.apps.sandbox', clientSecret: 'demo-operators-secret' };
