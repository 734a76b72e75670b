export {
  DEFAULT_OVERLAP_MS,
  MAX_OVERLAP_MS,
  rotated,
  secretsInForce,
  type EndpointSecrets,
  type RetiringSecret,
} from './endpoint-secrets.js';
export {
  accountMessage,
  CALENDAR_EVENT_TYPES,
  calendarMessage,
  type CalendarChange,
  type CalendarEventType,
  type WebhookMessage,
} from './message.js';
export { signatureHeaders, type SignatureHeaders } from './signature.js';
export { SigningSecret } from './signing-secret.js';
