export {
  DEFAULT_JOB_OPTIONS,
  InvalidJobPayload,
  parseEmptyPayload,
  type JobDefinition,
  type ScheduledJobDefinition,
  WORKER_OPTIONS,
  accountEvents,
  housekeeping,
  readingPlans,
  reconcile,
  tokenRevocation,
  type RevocationPayload,
  MESSAGES_PER_JOB,
  webhookDelivery,
  webhookRetry,
  type DeliveriesPayload,
} from './jobs.js';
export { BullSyncWakeup, calendarSync, SyncWakeupModule } from './sync-wakeup.js';
export { BullQueueMonitor, QUEUES, QueueMonitorModule } from './queue-monitor.js';
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
