export * from './account-events.js';
export * from './account.js';
export * from './credential-check.js';
export * from './credentials.js';
