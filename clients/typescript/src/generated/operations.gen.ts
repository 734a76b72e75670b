// Generated from docs/openapi.json.
import type {
  CreateAuthorizationUrlData,
  CreateAuthorizationUrlResponse,
  ConnectAppleData,
  ConnectAppleResponse,
  ConnectCalDavData,
  ConnectCalDavResponse,
  ConnectIcsData,
  ConnectIcsResponse,
  CreateConnectLinkData,
  CreateConnectLinkResponse,
  ListEndUserAccountsData,
  ListEndUserAccountsResponse,
  UpsertEndUserAccountData,
  UpsertEndUserAccountResponse,
  GetEndUserAccountData,
  GetEndUserAccountResponse,
  DeleteEndUserAccountData,
  DeleteEndUserAccountResponse,
  GetEndUserAccountCredentialsData,
  GetEndUserAccountCredentialsResponse,
  ListCalendarsData,
  ListCalendarsResponse,
  CreateCalendarData,
  CreateCalendarResponse,
  GetCalendarData,
  GetCalendarResponse,
  UpdateCalendarData,
  UpdateCalendarResponse,
  DeleteCalendarData,
  DeleteCalendarResponse,
  ListEventsData,
  ListEventsResponse,
  CreateEventData,
  CreateEventResponse,
  GetEventData,
  GetEventResponse,
  UpdateEventData,
  UpdateEventResponse,
  DeleteEventData,
  DeleteEventResponse,
  ListEventOccurrencesData,
  ListEventOccurrencesResponse,
  RsvpEventData,
  RsvpEventResponse,
  QueryFreeBusyData,
  QueryFreeBusyResponse,
  ListCalendarSubscriptionsData,
  ListCalendarSubscriptionsResponse,
  CreateCalendarSubscriptionData,
  CreateCalendarSubscriptionResponse,
  DeleteCalendarSubscriptionData,
  DeleteCalendarSubscriptionResponse,
  GetUsageData,
  GetUsageResponse,
  ListWebhookEndpointsData,
  ListWebhookEndpointsResponse,
  CreateWebhookEndpointData,
  CreateWebhookEndpointResponse,
  GetWebhookEndpointData,
  GetWebhookEndpointResponse,
  UpdateWebhookEndpointData,
  UpdateWebhookEndpointResponse,
  DeleteWebhookEndpointData,
  DeleteWebhookEndpointResponse,
  EnableWebhookEndpointData,
  EnableWebhookEndpointResponse,
  RotateEndpointSecretData,
  RotateEndpointSecretResponse,
  SendTestMessageData,
  SendTestMessageResponse,
  ListWebhookMessagesData,
  ListWebhookMessagesResponse,
  ListDeliveryAttemptsData,
  ListDeliveryAttemptsResponse,
  ResendWebhookMessageData,
  ResendWebhookMessageResponse,
  RecoverMessagesData,
  RecoverMessagesResponse,
} from './types.gen.js';

/** What each operation takes and answers. */
export interface Operations {
  createAuthorizationUrl: { data: CreateAuthorizationUrlData; response: CreateAuthorizationUrlResponse };
  connectApple: { data: ConnectAppleData; response: ConnectAppleResponse };
  connectCalDav: { data: ConnectCalDavData; response: ConnectCalDavResponse };
  connectIcs: { data: ConnectIcsData; response: ConnectIcsResponse };
  createConnectLink: { data: CreateConnectLinkData; response: CreateConnectLinkResponse };
  listEndUserAccounts: { data: ListEndUserAccountsData; response: ListEndUserAccountsResponse };
  upsertEndUserAccount: { data: UpsertEndUserAccountData; response: UpsertEndUserAccountResponse };
  getEndUserAccount: { data: GetEndUserAccountData; response: GetEndUserAccountResponse };
  deleteEndUserAccount: { data: DeleteEndUserAccountData; response: DeleteEndUserAccountResponse };
  getEndUserAccountCredentials: {
    data: GetEndUserAccountCredentialsData;
    response: GetEndUserAccountCredentialsResponse;
  };
  listCalendars: { data: ListCalendarsData; response: ListCalendarsResponse };
  createCalendar: { data: CreateCalendarData; response: CreateCalendarResponse };
  getCalendar: { data: GetCalendarData; response: GetCalendarResponse };
  updateCalendar: { data: UpdateCalendarData; response: UpdateCalendarResponse };
  deleteCalendar: { data: DeleteCalendarData; response: DeleteCalendarResponse };
  listEvents: { data: ListEventsData; response: ListEventsResponse };
  createEvent: { data: CreateEventData; response: CreateEventResponse };
  getEvent: { data: GetEventData; response: GetEventResponse };
  updateEvent: { data: UpdateEventData; response: UpdateEventResponse };
  deleteEvent: { data: DeleteEventData; response: DeleteEventResponse };
  listEventOccurrences: { data: ListEventOccurrencesData; response: ListEventOccurrencesResponse };
  rsvpEvent: { data: RsvpEventData; response: RsvpEventResponse };
  queryFreeBusy: { data: QueryFreeBusyData; response: QueryFreeBusyResponse };
  listCalendarSubscriptions: { data: ListCalendarSubscriptionsData; response: ListCalendarSubscriptionsResponse };
  createCalendarSubscription: { data: CreateCalendarSubscriptionData; response: CreateCalendarSubscriptionResponse };
  deleteCalendarSubscription: { data: DeleteCalendarSubscriptionData; response: DeleteCalendarSubscriptionResponse };
  getUsage: { data: GetUsageData; response: GetUsageResponse };
  listWebhookEndpoints: { data: ListWebhookEndpointsData; response: ListWebhookEndpointsResponse };
  createWebhookEndpoint: { data: CreateWebhookEndpointData; response: CreateWebhookEndpointResponse };
  getWebhookEndpoint: { data: GetWebhookEndpointData; response: GetWebhookEndpointResponse };
  updateWebhookEndpoint: { data: UpdateWebhookEndpointData; response: UpdateWebhookEndpointResponse };
  deleteWebhookEndpoint: { data: DeleteWebhookEndpointData; response: DeleteWebhookEndpointResponse };
  enableWebhookEndpoint: { data: EnableWebhookEndpointData; response: EnableWebhookEndpointResponse };
  rotateEndpointSecret: { data: RotateEndpointSecretData; response: RotateEndpointSecretResponse };
  sendTestMessage: { data: SendTestMessageData; response: SendTestMessageResponse };
  listWebhookMessages: { data: ListWebhookMessagesData; response: ListWebhookMessagesResponse };
  listDeliveryAttempts: { data: ListDeliveryAttemptsData; response: ListDeliveryAttemptsResponse };
  resendWebhookMessage: { data: ResendWebhookMessageData; response: ResendWebhookMessageResponse };
  recoverMessages: { data: RecoverMessagesData; response: RecoverMessagesResponse };
}

/** How each operation is asked for. */
export const OPERATIONS = {
  createAuthorizationUrl: { method: 'POST', path: '/api/v1/oauth/authorizationUrls' },
  connectApple: { method: 'POST', path: '/api/v1/basicAuth/connect/{applicationId}/apple' },
  connectCalDav: { method: 'POST', path: '/api/v1/basicAuth/connect/{applicationId}/caldav' },
  connectIcs: { method: 'POST', path: '/api/v1/basicAuth/connect/{applicationId}/ics' },
  createConnectLink: { method: 'POST', path: '/api/v1/connectLinks' },
  listEndUserAccounts: { method: 'GET', path: '/api/v1/endUserAccounts' },
  upsertEndUserAccount: { method: 'POST', path: '/api/v1/endUserAccounts' },
  getEndUserAccount: { method: 'GET', path: '/api/v1/endUserAccounts/{endUserAccountId}' },
  deleteEndUserAccount: { method: 'DELETE', path: '/api/v1/endUserAccounts/{endUserAccountId}' },
  getEndUserAccountCredentials: { method: 'GET', path: '/api/v1/endUserAccounts/{endUserAccountId}/credentials' },
  listCalendars: { method: 'GET', path: '/api/v1/calendars/{endUserAccountId}' },
  createCalendar: { method: 'POST', path: '/api/v1/calendars/{endUserAccountId}' },
  getCalendar: { method: 'GET', path: '/api/v1/calendars/{endUserAccountId}/{calendarId}' },
  updateCalendar: { method: 'PUT', path: '/api/v1/calendars/{endUserAccountId}/{calendarId}' },
  deleteCalendar: { method: 'DELETE', path: '/api/v1/calendars/{endUserAccountId}/{calendarId}' },
  listEvents: { method: 'GET', path: '/api/v1/events/{endUserAccountId}/{calendarId}' },
  createEvent: { method: 'POST', path: '/api/v1/events/{endUserAccountId}/{calendarId}' },
  getEvent: { method: 'GET', path: '/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}' },
  updateEvent: { method: 'PUT', path: '/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}' },
  deleteEvent: { method: 'DELETE', path: '/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}' },
  listEventOccurrences: { method: 'GET', path: '/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}/occurrences' },
  rsvpEvent: { method: 'POST', path: '/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}/rsvp' },
  queryFreeBusy: { method: 'POST', path: '/api/v1/freeBusy/{endUserAccountId}' },
  listCalendarSubscriptions: { method: 'GET', path: '/api/v1/calendarSubscriptions/{endUserAccountId}' },
  createCalendarSubscription: { method: 'POST', path: '/api/v1/calendarSubscriptions/{endUserAccountId}' },
  deleteCalendarSubscription: { method: 'DELETE', path: '/api/v1/calendarSubscriptions/{endUserAccountId}' },
  getUsage: { method: 'GET', path: '/api/v1/usage' },
  listWebhookEndpoints: { method: 'GET', path: '/api/v1/webhookEndpoints' },
  createWebhookEndpoint: { method: 'POST', path: '/api/v1/webhookEndpoints' },
  getWebhookEndpoint: { method: 'GET', path: '/api/v1/webhookEndpoints/{endpointId}' },
  updateWebhookEndpoint: { method: 'PATCH', path: '/api/v1/webhookEndpoints/{endpointId}' },
  deleteWebhookEndpoint: { method: 'DELETE', path: '/api/v1/webhookEndpoints/{endpointId}' },
  enableWebhookEndpoint: { method: 'POST', path: '/api/v1/webhookEndpoints/{endpointId}/enable' },
  rotateEndpointSecret: { method: 'POST', path: '/api/v1/webhookEndpoints/{endpointId}/rotateSecret' },
  sendTestMessage: { method: 'POST', path: '/api/v1/webhookEndpoints/{endpointId}/test' },
  listWebhookMessages: { method: 'GET', path: '/api/v1/webhookEndpoints/{endpointId}/messages' },
  listDeliveryAttempts: { method: 'GET', path: '/api/v1/webhookEndpoints/{endpointId}/messages/{messageId}/attempts' },
  resendWebhookMessage: { method: 'POST', path: '/api/v1/webhookEndpoints/{endpointId}/messages/{messageId}/resend' },
  recoverMessages: { method: 'POST', path: '/api/v1/webhookEndpoints/{endpointId}/recover' },
} as const;
