export {
  ALL_SETTINGS,
  createProviders,
  OAUTH_PROVIDERS,
  PROVIDER_TYPES,
  providerBySlug,
  PROVIDERS,
  trustedOrigins,
} from './providers.js';
export { ProvidersModule } from './providers.module.js';
export { PAGE_LANGUAGES } from '#providers/kit/definition';
export type {
  ConnectBody,
  ConnectDefinition,
  ConnectField,
  PageLanguage,
  NotificationsDefinition,
  ProviderDefinition,
} from '#providers/kit/definition';
