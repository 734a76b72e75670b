export {
  DEFAULT_JOB_OPTIONS,
  InvalidJobPayload,
  parseEmptyPayload,
  type JobDefinition,
  type ScheduledJobDefinition,
  WORKER_OPTIONS,
} from './job-definition.js';
export { accountEvents, housekeeping, readingPlans, reconcile } from './scheduled-jobs.js';
export { BullSyncWakeup, calendarSync } from './sync-wakeup.js';
export { SyncWakeupModule } from './sync-wakeup.module.js';
export { tokenRevocation, type RevocationPayload } from './token-revocation.js';
export { BullQueueMonitor, QUEUES } from './queue-monitor.js';
export { QueueMonitorModule } from './queue-monitor.module.js';
export {
  chooseQueueBackend,
  migrateQueueSchema,
  QUEUE_SCHEMA,
  QueueSchemaMismatch,
  verifyQueueSchema,
  type QueueBackendOptions,
} from './queue-backend.js';
export { queueTelemetry } from './queue-telemetry.js';
export { RedisPolicy, RedisPolicyModule } from './redis-policy.js';
export { JobSchedulerGuard } from './job-scheduler-guard.js';
export { MESSAGES_PER_JOB, webhookDelivery, webhookRetry, type DeliveriesPayload } from './webhook-deliveries.js';
