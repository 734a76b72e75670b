export * from './audit.js';
export * from './operator-account-queries.js';
export * from './operator-delivery-queries.js';
export * from './operator-sso-request.js';
export * from './operator.js';
export * from './operator-token.js';
