export { DeliveryDispatcher } from './delivery-dispatcher.js';
export type { AttemptKind } from './delivery-limiter.js';
export { EndpointMessages } from './endpoint-messages.js';
export { mapPage } from './endpoint-pages.js';
export { SubscriptionsModule, WebhooksModule } from './webhooks.modules.js';
export { WebhookEndpoints } from './webhook-endpoints.js';
