export { createProviders, type ProvidersOptions } from './create-providers.js';
export { ProvidersModule } from './providers.module.js';
export { UnreadableObjects } from '#providers/caldav';
