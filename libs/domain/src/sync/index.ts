export * from './calendar-sync.js';
