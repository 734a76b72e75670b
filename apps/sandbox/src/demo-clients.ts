/** OAuth clients that the sandbox registers at the start, by provider path. Valid only in the sandbox. */
export const DEMO_CLIENTS = {
  google: { clientId: 'demo-google.apps.sandbox', clientSecret: 'demo-google-secret' },
  microsoft: { clientId: '0d3e5a7c-1b2f-4c6d-8e9a-5f7b3c1d9e20', clientSecret: 'demo-microsoft-secret' },
} as const;

/** Client of the OpenID provider, for operator sign-in. */
export const OPERATORS_CLIENT = { clientId: 'demo-operators.apps.sandbox', clientSecret: 'demo-operators-secret' };
