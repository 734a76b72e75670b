export * from './errors.js';
export * from './overview.js';
export * from './ports.js';
export * from './request-log.js';
