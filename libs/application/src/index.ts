export { actAs } from './actor.js';
export { AccountAccess } from './accounts/account-access.js';
export type { UpsertAccount } from './accounts/account-connector.js';
export { AccountRegistration, AccountRegistrations } from './accounts/account-registration.js';
export { AccountExpiryModule, AccountsModule, EndUserAccountsModule } from './accounts/accounts.module.js';
export { AccountsService } from './accounts/accounts.service.js';
export { AccountEvents } from './accounts/account-events.js';
export { AccountExpiry } from './accounts/account-expiry.js';
export { CredentialCheck } from './accounts/credential-check.js';
export { CredentialsService } from './accounts/credentials.service.js';
export { GrantRevocation } from './accounts/account-deletion.js';
export { KeyLossRecovery, type KeyLossReport } from './accounts/key-loss-recovery.js';
export { MassExpiryBreaker } from './accounts/mass-expiry-breaker.js';
export { OAuthClients } from './accounts/token-refresh.js';
export { CalendarsModule } from './calendars/calendars.module.js';
export { CalendarsService } from './calendars/calendars.service.js';
export type { EventBody } from './events/event-input.js';
export type { EventQueryParameters } from './events/event-query.js';
export { EventsModule } from './events/events.module.js';
export { EventsService } from './events/events.service.js';
export { FreeBusyService, type FreeBusyBody } from './free-busy/free-busy.service.js';
export { ApplicationsModule } from './applications/applications.module.js';
export {
  ApiKeysService,
  type ApiKeyView,
  type CreateApiKey,
  type VerifiedKey,
} from './applications/api-keys.service.js';
export { ApplicationDeletion } from './applications/application-deletion.js';
export { ApplicationsService, type CountedApplicationView } from './applications/applications.service.js';
export { CallbackUrls } from './oauth/callback-urls.js';
export { OAuthModule } from './oauth/oauth.module.js';
export { OAuthClientsModule } from './oauth/oauth-clients.module.js';
export { OAuthClientsService, type SetOAuthClient } from './oauth/oauth-clients.service.js';
export { RedirectUrlsService } from './oauth/redirect-urls.service.js';
export { ConfiguredOAuthClients } from './oauth/shared-oauth-clients.js';
export { isSecret, newSecret, SIGN_IN_LIFETIME_MS, AuthorizationRequests } from './oauth/authorization-requests.js';
export { SignInGrants } from './oauth/sign-in-grants.js';
export { SignInProviders, type SignInProviderView } from './oauth/sign-in-providers.js';
export { SignInService, type BeginSignIn, type SignInRequest, type SignInResponse } from './oauth/sign-in.service.js';
export { SignInTestTrial } from './oauth/sign-in-test-runner.js';
export { SignInTests, type SignInTestView } from './oauth/sign-in-tests.js';
export { AdminModule } from './operator/admin.module.js';
export { InvitationsModule } from './operator/invitations.module.js';
export { OperatorAuditService } from './operator/operator-audit.service.js';
export { InvitationAcceptance } from './operator/invitation-acceptance.js';
export { DEVICE_LIFETIME_MS, OperatorDeviceKeys, OperatorDevices } from './operator/operator-devices.js';
export { OperatorInvitations, type EmailInvitation } from './operator/operator-invitations.js';
export { SignInThrottle } from './operator/sign-in-throttle.js';
export { PasswordSignIn } from './operator/password-sign-in.js';
export { inBrowser } from './operator/operator-browser.js';
export { OperatorPasswords } from './operator/operator-passwords.js';
export { OperatorSessions, type NewSession, type AuthenticatedSession } from './operator/operator-sessions.js';
export { OperatorSettings } from './operator/operator-sessions.js';
export { SsoService } from './operator/sso.service.js';
export { SsoRequests } from './operator/sso-requests.js';
export { SsoIdentities } from './operator/sso-identities.js';
export { OperatorsService } from './operator/operators.service.js';
export { AccountReconnect } from './operator/accounts-reconnect.js';
export { OperatorAccountsService, type AccountDetailWithFailure } from './operator/accounts.service.js';
export { RequestHistoryRecorder } from './operator/request-history-recorder.js';
export { RequestHistoryService } from './operator/request-history.service.js';
export { DeliveryActions } from './operator/deliveries-actions.js';
export {
  OperatorDeliveriesService,
  type StatsRange,
  type MessageDetailWithAttempts,
} from './operator/deliveries.service.js';
export { FailedJobsService } from './operator/overview-failed-jobs.service.js';
export { OverviewService } from './operator/overview.service.js';
export type { ProviderHealth } from './operator/overview-provider-health.js';
export { applicationSettings, PUBLIC_URL, type SharedClientSettings } from './settings.js';
export { SealedTokens, SealingKeys } from './tokens/sealed-tokens.js';
export { ChangeDetector } from './webhooks/change-detector.js';
export { CalendarSyncService, SYNC_INTERVALS, type SyncIntervals } from './webhooks/calendar-sync.service.js';
export { SubscriptionCreator } from './webhooks/subscription-creator.js';
export { CalendarSubscriptions } from './webhooks/calendar-subscriptions.js';
export { SyncRequests } from './webhooks/sync-requests.js';
export { Deliveries } from './webhooks/deliveries.js';
export type { AttemptKind } from './webhooks/delivery-limiter.js';
export { ProviderNotifications, NotificationsNotStored } from './webhooks/provider-notifications.service.js';
export { ChannelReconciler } from './webhooks/channel-reconciler.js';
export { NotificationUrls } from './webhooks/channel-client.js';
export { EndpointMessages } from './webhooks/endpoint-messages.js';
export { mapPage } from './webhooks/endpoint-pages.js';
export { SubscriptionsModule, WebhooksModule } from './webhooks/webhooks.modules.js';
export { WebhookEndpoints } from './webhooks/webhook-endpoints.js';
