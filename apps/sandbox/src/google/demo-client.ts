/** The OAuth client that the sandbox knows from the start. Not a secret: nothing real can be reached with it. */
export const DEMO_CLIENT = { clientId: 'demo-google.apps.sandbox', clientSecret: 'demo-google-secret' };
