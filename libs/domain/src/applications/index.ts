export * from './api-key.js';
export * from './application.js';
