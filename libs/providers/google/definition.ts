import { defineProvider, oauthClientSettings } from '#providers/kit/definition';
import { integer, root } from '#platform/settings';
import { createGoogleProvider } from './adapter.js';
import { readGooglePush } from './channels.js';
import { DEFAULT_SCOPES } from './scopes.js';

export const GOOGLE = defineProvider({
  type: 'GOOGLE',
  slug: 'google',
  label: 'Google',
  icon:
    'M12.5 10.9v3.3h7.8c-.2 1.8-.9 3.2-1.8 4.1-1.1 1.1-2.9 2.4-6 2.4-4.9 0-8.6-3.9-8.6-8.7s3.7-8.7 8.6-8.7c2.6 0 4.5 1 5.9 ' +
    '2.3l2.3-2.3C18.8 1.4 16.1 0 12.5 0 5.9 0 .3 5.4.3 12s5.6 12 12.2 12c3.6 0 6.3-1.2 8.4-3.4 2.1-2.1 2.8-5.2 2.8-7.6 0-.8 ' +
    '0-1.5-.2-2.1z',
  authentication: 'oauth',
  settings: {
    apiUrl: root('GOOGLE_API_URL', {
      description: 'Root of the Google APIs. Its origin is trusted as configured, as those of the next two.',
      fallback: 'https://www.googleapis.com',
    }),
    oauthUrl: root('GOOGLE_OAUTH_URL', {
      description: "Root of Google's sign-in pages.",
      fallback: 'https://accounts.google.com',
    }),
    tokenUrl: root('GOOGLE_TOKEN_URL', {
      description: "Root of Google's token endpoints.",
      fallback: 'https://oauth2.googleapis.com',
    }),
    ...oauthClientSettings('GOOGLE', { scopes: 'full access to calendars' }),
    requestsPerMinute: integer('GOOGLE_REQUESTS_PER_MINUTE', {
      description: 'Requests toward Google for one account.',
      fallback: 600,
      min: 1,
      max: 1_000_000,
    }),
    requestsPerDay: integer('GOOGLE_REQUESTS_PER_DAY', {
      description:
        'Calendar requests of one Google project in 24 hours. Unchanged calendars are read less often so that they and ' +
        "callers' requests stay below.",
      fallback: 900_000,
      min: 1_000,
      max: 1_000_000_000,
    }),
  },
  trustedOrigins: ({ apiUrl, oauthUrl, tokenUrl }) => [apiUrl, oauthUrl, tokenUrl],
  oauthClient: {
    console: 'Google Cloud console, “APIs & Services”, “Credentials”: an OAuth client of the type “Web application”.',
    redirectName: 'Authorized redirect URIs',
    defaultScopes: DEFAULT_SCOPES,
  },
  notifications: {
    hasLifecycle: false,
    readsBody: false,
    acceptedStatus: 204,
    rejectsForged: true,
    read: ({ headers }) => [readGooglePush(headers) ?? []].flat(),
  },
  create: (deps, settings) => createGoogleProvider({ ...deps, ...settings }),
});
