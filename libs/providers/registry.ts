export { createProviders, type ProvidersOptions } from './create-providers.js';
export { ProvidersModule } from './providers.module.js';
export { trustedOrigins } from './trusted-origins.js';
export { UnreadableObjects } from '#providers/caldav';
export { readGooglePush, type GooglePush } from '#providers/google';
export { readMicrosoftPushes, type MicrosoftPush } from '#providers/microsoft';
