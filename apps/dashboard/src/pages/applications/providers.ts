import type { OAuthProvider } from '#operator-api';

/** What is different about setting up a client at each provider. */
export const PROVIDERS: Record<OAuthProvider, { name: string; console: string; redirectName: string }> = {
  google: {
    name: 'Google',
    console: 'Google Cloud console, “APIs & Services”, “Credentials”: an OAuth client of the type “Web application”.',
    redirectName: 'Authorized redirect URIs',
  },
  microsoft: {
    name: 'Microsoft',
    console: 'Microsoft Entra admin center, “App registrations”: an application with the platform “Web”.',
    redirectName: 'Redirect URIs',
  },
};
