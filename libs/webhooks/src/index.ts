export {
  lastingHeaders,
  type DeliveryIdentity,
  DEFAULT_ATTEMPT_TIMEOUT_MS,
  WebhookSender,
  type WebhookSenderOptions,
} from './sender.js';
export { ExternalDelivery, NoExternalDelivery, type EndpointRef } from './external-delivery.js';
export {
  shouldDisable,
  retryDelayMs,
  RETRY_STEPS_MS,
  classifyAttempt,
  type RejectionReason,
  type AttemptVerdict,
} from './delivery-policy.js';
export {
  DEFAULT_OVERLAP_MS,
  MAX_OVERLAP_MS,
  revealedSecrets,
  rotated,
  secretsFrom,
  secretsInForce,
  type EndpointSecrets,
  type RetiringSecret,
  SigningSecret,
} from './endpoint-secrets.js';
export { EndpointUrlPolicy } from './endpoint-url.js';
export {
  messageIdOf,
  uuidOf,
  accountMessage,
  CALENDAR_EVENT_TYPES,
  calendarMessage,
  testMessage,
  TEST_EVENT_TYPE,
  type CalendarChange,
  type CalendarEventType,
  type WebhookMessage,
} from './message.js';
export { SvixDelivery } from './svix-delivery.js';
export { ExternalDeliveryModule, transportSettings } from './external-delivery.module.js';
export { webhookTransport, type TransportSettings } from './choose-transport.js';
export { SvixTransport } from './svix-transport.js';
export { WebhookTransport, type AttemptResult, type WebhookDelivery, type TransportEndpoint } from './transport.js';
