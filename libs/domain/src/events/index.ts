export * from './event.js';
export * from './time.js';
