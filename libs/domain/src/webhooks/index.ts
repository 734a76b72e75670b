export * from './endpoint.js';
export * from './message.js';
