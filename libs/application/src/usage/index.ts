export { ReadingPlanner } from './reading-planner.js';
export { ReadingPlans } from './reading-plans.js';
export { RequestLedger } from './request-ledger.js';
export { UsageModule } from './usage.module.js';
export { MAX_USAGE_DAYS, UsageService, type InstallationUsage } from './usage.service.js';
