export { listed, ProviderName, useProviders, type Providers } from './providers.js';
