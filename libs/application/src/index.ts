export { actAs, currentActor, type Actor } from './actor.js';
export { AccountAccess } from './accounts/account-access.js';
export type { UpsertAccount } from './accounts/account-connections.js';
export { AccountRegistration, GrantedAccounts, type AccountGrant } from './accounts/account-registration.js';
export { AccountExpiryModule, AccountsModule, EndUserAccountsModule } from './accounts/accounts.module.js';
export {
  AccountsService,
  type AccountView,
  type CredentialsView,
  type ListAccounts,
} from './accounts/accounts.service.js';
export { AccountEvents } from './accounts/account-events.js';
export { AccountExpiry } from './accounts/account-expiry.js';
export { CredentialCheck } from './accounts/credential-check.js';
export { CredentialsService } from './accounts/credentials.service.js';
export { GrantRevocation } from './accounts/account-deletion.js';
export { LostKeys, type LostKeysReport } from './accounts/lost-keys.js';
export { MassExpiryBreaker } from './accounts/mass-expiry-breaker.js';
export { OAuthClients } from './accounts/token-refresh.js';
export { CalendarsModule } from './calendars/calendars.module.js';
export {
  CalendarsService,
  type CalendarBody,
  type CalendarPage,
  type ListCalendarsParameters,
} from './calendars/calendars.service.js';
export type { EventBody, EventDateTimeBody } from './events/event-input.js';
export type { EventQueryParameters } from './events/event-query.js';
export type { CancelledEventView, EventView } from './events/event-view.js';
export { EventsModule } from './events/events.module.js';
export { EventsService, type EventPage, type ShowOptions, type WriteResult } from './events/events.service.js';
export type { EventDateTimeView } from './events/show-time.js';
export { FreeBusyService, type FreeBusyBody, type FreeBusyElement } from './free-busy/free-busy.service.js';
export { ApplicationsModule } from './keys/applications.module.js';
export { ApiKeysService, type ApiKeyView, type CreateApiKey, type VerifiedKey } from './keys/api-keys.service.js';
export { ApplicationRemoval } from './keys/application-removal.js';
export {
  ApplicationsService,
  type ApplicationChange,
  type ApplicationView,
  type CountedApplicationView,
} from './keys/applications.service.js';
export { CallbackAddress } from './oauth/callback-address.js';
export { OAuthModule } from './oauth/oauth.module.js';
export { OAuthClientsModule } from './oauth/oauth-clients.module.js';
export { OAuthClientsService, type OAuthClientView, type SetOAuthClient } from './oauth/oauth-clients.service.js';
export { RedirectUrlsService, type RedirectUrlView } from './oauth/redirect-urls.service.js';
export { ConfiguredOAuthClients } from './oauth/shared-oauth-clients.js';
export { isSecret, newSecret, SIGN_IN_LIFETIME_MS, SignInAttempts } from './oauth/sign-in-attempts.js';
export { SIGN_IN_ERRORS, type SignInError } from './oauth/sign-in-response.js';
export { SignInGrants } from './oauth/sign-in-grants.js';
export { SignInProviders, type SignInProviderView } from './oauth/sign-in-providers.js';
export {
  SignInService,
  type AuthorizationUrlView,
  type BeginSignIn,
  type SignInRequest,
  type SignInResponse,
} from './oauth/sign-in.service.js';
export { SignInTestTrial } from './oauth/sign-in-test-trial.js';
export { SignInTests, type SignInTestView } from './oauth/sign-in-tests.js';
export { AdminModule } from './operators/admin.module.js';
export { InvitationsModule } from './operators/invitations.module.js';
export { OperatorAuditService } from './operators/operator-audit.service.js';
export { OperatorAdmission, type AcceptInvitation } from './operators/operator-admission.js';
export {
  DEVICE_LIFETIME_MS,
  OperatorDeviceKeys,
  OperatorDevices,
  type OperatorDevice,
} from './operators/operator-devices.js';
export { OperatorInvitations, type AddressedInvitation } from './operators/operator-invitations.js';
export { OperatorLoginGuard } from './operators/operator-login-guard.js';
export { OperatorLogins } from './operators/operator-logins.js';
export { inBrowser } from './operators/operator-browser.js';
export { OperatorPasswords } from './operators/operator-passwords.js';
export { OperatorSessions, type BegunSession, type ProvenSession } from './operators/operator-sessions.js';
export { OperatorSettings } from './operators/operator-sessions.js';
export { SingleSignOn, type FinishedSignOn } from './operators/single-sign-on.js';
export { SignOnAttempts } from './operators/single-sign-on-attempts.js';
export { SignOnIdentities } from './operators/single-sign-on-identities.js';
export { SIGN_ON_ERRORS, type SignOnError } from './operators/single-sign-on-return.js';
export { OperatorsService } from './operators/operators.service.js';
export { AccountReconnect, type ReconnectLink } from './oversight/accounts-reconnect.js';
export { OverseenAccounts, type OverseenAccountState } from './oversight/accounts.service.js';
export { RequestRecorder } from './oversight/requests-recorder.js';
export { RequestSearch, type SearchRequests } from './oversight/requests.service.js';
export { DeliveryActions } from './oversight/deliveries-actions.js';
export { DeliveriesService, type FiguresRange, type OverseenMessageLog } from './oversight/deliveries.service.js';
export { FailedJobsService } from './oversight/overview-failed-jobs.service.js';
export { OverviewService } from './oversight/overview.service.js';
export type { ProviderHealth } from './oversight/overview-provider-health.js';
export { applicationSettings, PUBLIC_URL, type ApplicationSettings, type SharedClientSettings } from './settings.js';
export { SealedTokens, SealingKeys } from './tokens/sealed-tokens.js';
export { CalendarChanges } from './webhooks/calendar-changes.js';
export { CalendarLooks, LOOK_INTERVALS, type LookIntervals } from './webhooks/calendar-looks.js';
export { CalendarSubscribing, type NewSubscription } from './webhooks/calendar-subscribing.js';
export { CalendarSubscriptions, type SubscriptionView } from './webhooks/calendar-subscriptions.js';
export { ChangeHints } from './webhooks/change-hints.js';
export { Deliveries, type DeliveriesOptions } from './webhooks/deliveries.js';
export type { Lane } from './webhooks/deliveries-slots.js';
export { ProviderPushes, PushesNotTaken } from './webhooks/provider-pushes.js';
export { ChannelKeeper } from './webhooks/channel-keeper.js';
export { NotificationAddresses } from './webhooks/channel-openings.js';
export { EndpointMessages, type MessageView } from './webhooks/endpoint-messages.js';
export { mapPage } from './webhooks/endpoint-pages.js';
export { SubscribedCalendars } from './webhooks/subscribed-calendars.js';
export { SubscriptionsModule, WebhooksModule } from './webhooks/webhooks.modules.js';
export { WebhookEndpoints, type EndpointView, type NewEndpoint } from './webhooks/webhook-endpoints.js';
