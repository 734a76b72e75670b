export { createMicrosoftProvider } from './adapter.js';
export { readMicrosoftNotifications } from './channels.js';
