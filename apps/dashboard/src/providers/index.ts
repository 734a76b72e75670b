export { ProviderName, useProviders } from './providers.js';
