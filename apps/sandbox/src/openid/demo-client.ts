/** The client that operators sign in with. Not a secret: nothing real can be reached with it. */
export const OPERATORS_CLIENT = { clientId: 'demo-operators.apps.sandbox', clientSecret: 'demo-operators-secret' };
