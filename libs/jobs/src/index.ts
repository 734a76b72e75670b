export {
  DEFAULT_JOB_OPTIONS,
  InvalidJobPayload,
  parseEmptyPayload,
  type JobDefinition,
  type ScheduledJobDefinition,
  WORKER_OPTIONS,
} from './job-definition.js';
export { accountEvents, housekeeping, reconcile } from './scheduled-jobs.js';
export { BullLookout, calendarLooks } from './lookout.js';
export { LookoutModule } from './lookout.module.js';
export { tokenRevocation, type RevocationPayload } from './token-revocation.js';
export { BullQueueBoard, QUEUES } from './queue-board.js';
export { QueueBoardModule } from './queue-board.module.js';
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
export { ScheduleKeeper } from './schedules.js';
export {
  MESSAGES_PER_JOB,
  webhookDeliveries,
  webhookRedeliveries,
  type DeliveriesPayload,
} from './webhook-deliveries.js';
