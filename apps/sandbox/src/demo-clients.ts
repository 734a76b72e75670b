export interface DemoClient {
  clientId: string;
  clientSecret: string;
}

export interface SeededClient extends DemoClient {
  redirectUris: readonly string[];
}

/** OAuth clients that the sandbox registers unless its settings name others. */
export const DEMO_CLIENTS = {
  google: { clientId: 'demo-google.apps.sandbox', clientSecret: 'demo-google-secret' },
  microsoft: { clientId: '0d3e5a7c-1b2f-4c6d-8e9a-5f7b3c1d9e20', clientSecret: 'demo-microsoft-secret' },
  /** Of the OpenID provider, for operator sign-in. */
  operators: { clientId: 'demo-operators.apps.sandbox', clientSecret: 'demo-operators-secret' },
} as const satisfies Record<string, DemoClient>;

/** @param text `<client id>:<client secret>`; null for another text */
export function parseDemoClient(text: string): DemoClient | null {
  const [, clientId, clientSecret] = /^([^:\s]+):(\S+)$/.exec(text) ?? [];
  return clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret };
}
