/** The OAuth client that the sandbox knows from the start. Not a secret: nothing real can be reached with it. */
export const DEMO_CLIENT = {
  clientId: '0d3e5a7c-1b2f-4c6d-8e9a-5f7b3c1d9e20',
  clientSecret: 'demo-microsoft-secret',
};
