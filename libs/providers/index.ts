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
export type {
  ConnectBody,
  ConnectDefinition,
  NotificationsDefinition,
  ProviderDefinition,
} from '#providers/kit/definition';
