export { createMicrosoftProvider } from './adapter.js';
export { readMicrosoftPushes } from './channels.js';
