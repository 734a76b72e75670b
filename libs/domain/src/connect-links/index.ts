export * from './connect-link.js';
