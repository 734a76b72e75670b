export { lastingHeaders, type DeliveryIdentity } from './delivery-headers.js';
export { DeliveryService, NoDeliveryService, type EndpointRef } from './delivery-service.js';
export { isDead } from './endpoint-health.js';
export {
  DEFAULT_OVERLAP_MS,
  MAX_OVERLAP_MS,
  revealedSecrets,
  rotated,
  secretsFrom,
  secretsInForce,
  type EndpointSecrets,
  type RetiringSecret,
} from './endpoint-secrets.js';
export { EndpointUrls } from './endpoint-url.js';
export { messageIdOf, uuidOf } from './message-id.js';
export {
  accountMessage,
  CALENDAR_EVENT_TYPES,
  calendarMessage,
  testMessage,
  TEST_EVENT_TYPE,
  type CalendarChange,
  type CalendarEventType,
  type WebhookMessage,
} from './message.js';
export { retryDelayMs, RETRY_STEPS_MS } from './retry-schedule.js';
export { DEFAULT_ATTEMPT_TIMEOUT_MS, WebhookSender, type WebhookSenderOptions } from './sender.js';
export { SigningSecret } from './signing-secret.js';
export { SvixDeliveryService } from './svix-delivery-service.js';
export { DeliveryServiceModule, transportSettings } from './delivery-service.module.js';
export { webhookTransport, type TransportSettings } from './svix-or-builtin.js';
export { SvixTransport } from './svix-transport.js';
export { WebhookTransport, type AttemptResult, type WebhookDelivery, type WebhookEndpoint } from './transport.js';
export { verdictOn, type RefusalReason, type Verdict } from './verdict.js';
