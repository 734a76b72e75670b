import type { Provider } from '@nestjs/common';
import {
  OutboxRelay,
  CredentialCheckRepository,
  AccountRepository,
  ConnectThrottle,
  CredentialRepository,
  MassExpiryRepository,
  Outbox,
  RevocationRepository,
  UnreadableSecrets,
} from '#domain/accounts';
import { ApiKeyRepository, ApplicationRepository, IdempotencyRepository } from '#domain/applications';
import { ProviderChannelRepository } from '#domain/channels';
import { ConnectLinkRepository } from '#domain/connect-links';
import { PrivatePropertyStore } from '#domain/events';
import {
  AuthorizationRequestRepository,
  OAuthClientRepository,
  RedirectUrlRepository,
  SignInTestRepository,
} from '#domain/oauth';
import {
  OperatorAccountQueries,
  AuditLog,
  AuditTrail,
  OperatorDeliveryQueries,
  OperatorInvitationRepository,
  OperatorSignInFailures,
  OperatorRepository,
  OperatorSessionRepository,
  OperatorSsoRepository,
  OperatorTokenRepository,
} from '#domain/operator';
import { ProviderRateLimiter, ProviderConcurrencyLimiter } from '#domain/providers';
import { SyncSnapshotStore, SyncedCalendarRepository } from '#domain/sync';
import { InstallationStats, OverviewStats, RequestHistoryRepository, UnitOfWork } from '#domain/system';
import { WebhookEndpointRepository, WebhookMessageRepository } from '#domain/webhooks';
import { ReadingPlanRepository, RequestLedgerRepository } from '#domain/usage';
import { SqlUnitOfWork } from '../database/database.js';
import { SqlOutboxRelay, SqlOutbox } from './outbox.repository.js';
import { SqlCredentialCheckRepository } from './credential-check.repository.js';
import { SqlOperatorAccountQueries } from './operator-account-queries.js';
import { SqlAccountRepository } from './account.repository.js';
import { SqlApiKeyRepository } from './api-key.repository.js';
import { SqlApplicationRepository } from './application.repository.js';
import { SqlAuditLog, SqlAuditTrail } from './audit-log.js';
import { SqlConnectLinkRepository } from './connect-link.repository.js';
import { SqlConnectThrottle } from './connect-throttle.js';
import { SqlCredentialRepository } from './credential.repository.js';
import { SqlOperatorDeliveryQueries } from './operator-delivery-queries.js';
import { SqlMassExpiryRepository } from './mass-expiry.repository.js';
import { SqlIdempotencyRepository } from './idempotency.repository.js';
import { SqlInstallationStats } from './installation-stats.js';
import { SqlAuthorizationRequestRepository } from './authorization-request.repository.js';
import { SqlOAuthClientRepository } from './oauth-client.repository.js';
import { SqlOperatorInvitationRepository } from './operator-invitation.repository.js';
import { SqlOperatorSignInFailures } from './operator-sign-in-failures.js';
import { SqlOperatorSessionRepository } from './operator-session.repository.js';
import { SqlOperatorSsoRepository } from './operator-sso.repository.js';
import { SqlOperatorTokenRepository } from './operator-token.repository.js';
import { SqlOperatorRepository } from './operator.repository.js';
import { SqlOverviewStats } from './overview.repository.js';
import { SqlPrivatePropertyStore } from './private-property.store.js';
import { SqlProviderRateLimiter } from './provider-rate-limiter.js';
import { SqlProviderChannelRepository } from './provider-channel.repository.js';
import { SqlProviderConcurrencyLimiter } from './provider-concurrency-limiter.js';
import { SqlReadingPlanRepository } from './reading-plan.repository.js';
import { SqlRedirectUrlRepository } from './redirect-url.repository.js';
import { SqlRequestHistoryRepository } from './request-log.repository.js';
import { SqlRequestLedgerRepository } from './request-ledger.repository.js';
import { SqlRevocationRepository } from './revocation.repository.js';
import { SqlSignInTestRepository } from './sign-in-test.repository.js';
import { SqlSyncSnapshotStore } from './sync-snapshot.store.js';
import { SqlUnreadableSecrets } from './unreadable-secrets.js';
import { SqlSyncedCalendarRepository } from './synced-calendar.repository.js';
import { SqlWebhookEndpointRepository } from './webhook-endpoint.repository.js';
import { SqlWebhookMessageRepository } from './webhook-message.repository.js';

export const REPOSITORIES = [
  { provide: OutboxRelay, useClass: SqlOutboxRelay },
  { provide: CredentialCheckRepository, useClass: SqlCredentialCheckRepository },
  { provide: OperatorAccountQueries, useClass: SqlOperatorAccountQueries },
  { provide: AccountRepository, useClass: SqlAccountRepository },
  { provide: ApiKeyRepository, useClass: SqlApiKeyRepository },
  { provide: ApplicationRepository, useClass: SqlApplicationRepository },
  { provide: AuditLog, useClass: SqlAuditLog },
  { provide: AuditTrail, useClass: SqlAuditTrail },
  { provide: ConnectThrottle, useClass: SqlConnectThrottle },
  { provide: CredentialRepository, useClass: SqlCredentialRepository },
  { provide: OperatorDeliveryQueries, useClass: SqlOperatorDeliveryQueries },
  { provide: MassExpiryRepository, useClass: SqlMassExpiryRepository },
  { provide: IdempotencyRepository, useClass: SqlIdempotencyRepository },
  { provide: InstallationStats, useClass: SqlInstallationStats },
  { provide: ConnectLinkRepository, useClass: SqlConnectLinkRepository },
  { provide: AuthorizationRequestRepository, useClass: SqlAuthorizationRequestRepository },
  { provide: OAuthClientRepository, useClass: SqlOAuthClientRepository },
  { provide: OperatorInvitationRepository, useClass: SqlOperatorInvitationRepository },
  { provide: OperatorSignInFailures, useClass: SqlOperatorSignInFailures },
  { provide: OperatorRepository, useClass: SqlOperatorRepository },
  { provide: OperatorSessionRepository, useClass: SqlOperatorSessionRepository },
  { provide: OperatorSsoRepository, useClass: SqlOperatorSsoRepository },
  { provide: OperatorTokenRepository, useClass: SqlOperatorTokenRepository },
  { provide: Outbox, useClass: SqlOutbox },
  { provide: OverviewStats, useClass: SqlOverviewStats },
  { provide: PrivatePropertyStore, useClass: SqlPrivatePropertyStore },
  { provide: ProviderRateLimiter, useClass: SqlProviderRateLimiter },
  { provide: ProviderChannelRepository, useClass: SqlProviderChannelRepository },
  { provide: ProviderConcurrencyLimiter, useClass: SqlProviderConcurrencyLimiter },
  { provide: ReadingPlanRepository, useClass: SqlReadingPlanRepository },
  { provide: RedirectUrlRepository, useClass: SqlRedirectUrlRepository },
  { provide: RequestHistoryRepository, useClass: SqlRequestHistoryRepository },
  { provide: RequestLedgerRepository, useClass: SqlRequestLedgerRepository },
  { provide: RevocationRepository, useClass: SqlRevocationRepository },
  { provide: SignInTestRepository, useClass: SqlSignInTestRepository },
  { provide: SyncSnapshotStore, useClass: SqlSyncSnapshotStore },
  { provide: UnitOfWork, useClass: SqlUnitOfWork },
  { provide: UnreadableSecrets, useClass: SqlUnreadableSecrets },
  { provide: SyncedCalendarRepository, useClass: SqlSyncedCalendarRepository },
  { provide: WebhookEndpointRepository, useClass: SqlWebhookEndpointRepository },
  { provide: WebhookMessageRepository, useClass: SqlWebhookMessageRepository },
] satisfies Provider[];
