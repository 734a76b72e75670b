export * from './reading-plan.js';
export * from './request-ledger.js';
