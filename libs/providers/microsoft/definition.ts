import { defineProvider, oauthClientSettings } from '#providers/kit/definition';
import { integer, root, text } from '#platform/settings';
import { createMicrosoftProvider } from './adapter.js';
import { readMicrosoftNotifications, readValidationToken } from './channels.js';
import { DEFAULT_SCOPES } from './scopes.js';

export const MICROSOFT = defineProvider({
  type: 'MICROSOFT',
  slug: 'microsoft',
  label: 'Microsoft',
  icon: 'M1 1h10.4v10.4H1zM12.6 1H23v10.4H12.6zM1 12.6h10.4V23H1zM12.6 12.6H23V23H12.6z',
  authentication: 'oauth',
  settings: {
    graphUrl: root('MICROSOFT_GRAPH_URL', {
      description: 'Root of Microsoft Graph. Its origin is trusted as configured, as that of the next one.',
      fallback: 'https://graph.microsoft.com',
    }),
    loginUrl: root('MICROSOFT_LOGIN_URL', {
      description: 'Root of the Microsoft identity platform.',
      fallback: 'https://login.microsoftonline.com',
    }),
    ...oauthClientSettings('MICROSOFT', { scopes: 'what works for work and personal accounts alike' }),
    tenant: text('MICROSOFT_TENANT', {
      description: 'Whose users may sign in with it: `common`, `organizations`, `consumers`, or the id of a directory.',
      fallback: 'common',
    }),
    requestsPerMinute: integer('MICROSOFT_REQUESTS_PER_MINUTE', {
      description: 'Requests toward Microsoft for one account; at most 3 of them at a time.',
      fallback: 1000,
      min: 1,
      max: 1_000_000,
    }),
  },
  trustedOrigins: ({ graphUrl, loginUrl }) => [graphUrl, loginUrl],
  oauthClient: {
    console: 'Microsoft Entra admin center, “App registrations”: an application with the platform “Web”.',
    redirectName: 'Redirect URIs',
    tenant: 'The id or domain of the directory whose users may sign in. Empty: any, and personal accounts.',
    defaultScopes: DEFAULT_SCOPES,
  },
  notifications: {
    hasLifecycle: true,
    readsBody: true,
    acceptedStatus: 202,
    rejectsForged: false,
    consentText: readValidationToken,
    read: ({ body }) => readMicrosoftNotifications(body),
  },
  create: (deps, settings) => createMicrosoftProvider({ ...deps, ...settings }),
});
