export { createMicrosoftProvider } from './adapter.js';
export type { MicrosoftProviderDeps, MicrosoftSettings } from './contract.js';
export { readMicrosoftPushes, type MicrosoftPush } from './push-messages.js';
