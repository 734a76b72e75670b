export { createGoogleProvider } from './adapter.js';
export type { GoogleProviderDeps, GoogleSettings } from './contract.js';
export { readGooglePush } from './push-message.js';
