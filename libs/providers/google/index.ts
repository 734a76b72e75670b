export { createGoogleProvider } from './adapter.js';
export { readGooglePush } from './channels.js';
