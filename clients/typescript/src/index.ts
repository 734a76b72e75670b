export { type ClientOptions, type TryRecord } from './call.js';
export { createClient, signInUrl, type UnifiedCalendarClient } from './client.js';
export {
  AccountExpiredError,
  AuthenticationError,
  ConflictError,
  NotFoundError,
  ProviderError,
  RateLimitedError,
  SyncTokenExpired,
  UnifiedCalendarError,
  UnifiedCalendarNetworkError,
  ValidationError,
} from './errors.js';
export { isRemoved, type CalendarEvent, type ChangedEvents, type RemovedEvent } from './events.js';
export type { IdempotencyOptions, RequestOptions, VersionOptions } from './operation.js';
export type { Page } from './pages.js';
export type { CalendarSubscriptions } from './resources/calendar-subscriptions.js';
export type { Calendars } from './resources/calendars.js';
export type { EndUserAccounts } from './resources/end-user-accounts.js';
export type { Events } from './resources/events.js';
export type { FreeBusy } from './resources/free-busy.js';
export type { UsageReports } from './resources/usage.js';
export type { WebhookEndpoints } from './resources/webhook-endpoints.js';
export type { EventStore, SyncedInto } from './sync-into.js';
export type { Sync, SyncOptions } from './sync.js';
export {
  verifyWebhook,
  WebhookVerificationError,
  type AccountMessage,
  type CalendarEventMessage,
  type Delivery,
  type TestMessage,
  type VerifiedWebhook,
  type WebhookMessageBody,
} from './webhooks.js';
export type {
  AccountDeleted,
  AccountEventType,
  BusySlot,
  Calendar,
  CalendarPage,
  CalendarSubscription,
  CalendarSubscriptionPage,
  ConferenceData,
  CreateCalendar,
  CreateCalendarSubscription,
  CreatedCalendarSubscription,
  CreatedWebhookEndpoint,
  CreateEvent,
  CreateWebhookEndpoint,
  Credentials,
  DailyRequests,
  DeletedCalendar,
  DeliveryAttempt,
  EditScope,
  EndUserAccount,
  EndUserAccountPage,
  EndUserAccountStatus,
  ErrorCode,
  ErrorDetail,
  EventAttendee,
  EventDateTime,
  EventPage,
  EventReminders,
  EventTime,
  FreeBusyCalendar,
  FreeBusyQuery,
  NotifyParticipants,
  ProviderFault,
  ProviderType,
  RequestCause,
  ResponseStatus,
  Success,
  Transparency,
  UpdateCalendar,
  UpdateEvent,
  UpsertEndUserAccount,
  Usage,
  Visibility,
  WebhookEndpoint,
  WebhookEndpointPage,
  WebhookMessage,
  WebhookMessagePage,
  WebhookMessageState,
  ZonedDateTime,
} from './generated/types.gen.js';
