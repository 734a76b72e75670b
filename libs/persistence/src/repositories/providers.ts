import type { Provider } from '@nestjs/common';
import {
  AccountEventRelay,
  AccountHealthRepository,
  AccountOversight,
  AccountRepository,
  ApiKeyRepository,
  ApplicationRepository,
  AuditLog,
  AuditTrail,
  ConnectGuard,
  CredentialRepository,
  DeliveryOversight,
  GrantLedger,
  IdempotencyRepository,
  InstallationFigures,
  OAuthAttemptRepository,
  OAuthClientRepository,
  OperatorInvitationRepository,
  OperatorLoginFailures,
  OperatorRepository,
  OperatorSessionRepository,
  OperatorSignOnRepository,
  Outbox,
  OverviewFigures,
  PrivatePropertyStore,
  ProviderBudget,
  ProviderChannelRepository,
  ProviderSlots,
  RedirectUrlRepository,
  RequestLogRepository,
  RevocationRepository,
  SignInTestRepository,
  SyncSnapshotStore,
  UnitOfWork,
  UnreadableSecrets,
  WatchedCalendarRepository,
  WebhookEndpointRepository,
  WebhookMessageRepository,
} from '#domain';
import { SqlUnitOfWork } from '../database/database.js';
import { SqlAccountEventRelay, SqlOutbox } from './outbox.repository.js';
import { SqlAccountHealthRepository } from './account-health.repository.js';
import { SqlAccountOversight } from './account-oversight.repository.js';
import { SqlAccountRepository } from './account.repository.js';
import { SqlApiKeyRepository } from './api-key.repository.js';
import { SqlApplicationRepository } from './application.repository.js';
import { SqlAuditLog, SqlAuditTrail } from './audit-log.js';
import { SqlConnectGuard } from './connect-guard.js';
import { SqlCredentialRepository } from './credential.repository.js';
import { SqlDeliveryOversight } from './delivery-oversight.repository.js';
import { SqlGrantLedger } from './grant-ledger.js';
import { SqlIdempotencyRepository } from './idempotency.repository.js';
import { SqlInstallationFigures } from './installation-figures.js';
import { SqlOAuthAttemptRepository } from './oauth-attempt.repository.js';
import { SqlOAuthClientRepository } from './oauth-client.repository.js';
import { SqlOperatorInvitationRepository } from './operator-invitation.repository.js';
import { SqlOperatorLoginFailures } from './operator-login-failures.js';
import { SqlOperatorSessionRepository } from './operator-session.repository.js';
import { SqlOperatorSignOnRepository } from './operator-sign-on.repository.js';
import { SqlOperatorRepository } from './operator.repository.js';
import { SqlOverviewFigures } from './overview.repository.js';
import { SqlPrivatePropertyStore } from './private-property.store.js';
import { SqlProviderBudget } from './provider-budget.js';
import { SqlProviderChannelRepository } from './provider-channel.repository.js';
import { SqlProviderSlots } from './provider-slots.js';
import { SqlRedirectUrlRepository } from './redirect-url.repository.js';
import { SqlRequestLogRepository } from './request-log.repository.js';
import { SqlRevocationRepository } from './revocation.repository.js';
import { SqlSignInTestRepository } from './sign-in-test.repository.js';
import { SqlSyncSnapshotStore } from './sync-snapshot.store.js';
import { SqlUnreadableSecrets } from './unreadable-secrets.js';
import { SqlWatchedCalendarRepository } from './watched-calendar.repository.js';
import { SqlWebhookEndpointRepository } from './webhook-endpoint.repository.js';
import { SqlWebhookMessageRepository } from './webhook-message.repository.js';

export const REPOSITORIES = [
  { provide: AccountEventRelay, useClass: SqlAccountEventRelay },
  { provide: AccountHealthRepository, useClass: SqlAccountHealthRepository },
  { provide: AccountOversight, useClass: SqlAccountOversight },
  { provide: AccountRepository, useClass: SqlAccountRepository },
  { provide: ApiKeyRepository, useClass: SqlApiKeyRepository },
  { provide: ApplicationRepository, useClass: SqlApplicationRepository },
  { provide: AuditLog, useClass: SqlAuditLog },
  { provide: AuditTrail, useClass: SqlAuditTrail },
  { provide: ConnectGuard, useClass: SqlConnectGuard },
  { provide: CredentialRepository, useClass: SqlCredentialRepository },
  { provide: DeliveryOversight, useClass: SqlDeliveryOversight },
  { provide: GrantLedger, useClass: SqlGrantLedger },
  { provide: IdempotencyRepository, useClass: SqlIdempotencyRepository },
  { provide: InstallationFigures, useClass: SqlInstallationFigures },
  { provide: OAuthAttemptRepository, useClass: SqlOAuthAttemptRepository },
  { provide: OAuthClientRepository, useClass: SqlOAuthClientRepository },
  { provide: OperatorInvitationRepository, useClass: SqlOperatorInvitationRepository },
  { provide: OperatorLoginFailures, useClass: SqlOperatorLoginFailures },
  { provide: OperatorRepository, useClass: SqlOperatorRepository },
  { provide: OperatorSessionRepository, useClass: SqlOperatorSessionRepository },
  { provide: OperatorSignOnRepository, useClass: SqlOperatorSignOnRepository },
  { provide: Outbox, useClass: SqlOutbox },
  { provide: OverviewFigures, useClass: SqlOverviewFigures },
  { provide: PrivatePropertyStore, useClass: SqlPrivatePropertyStore },
  { provide: ProviderBudget, useClass: SqlProviderBudget },
  { provide: ProviderChannelRepository, useClass: SqlProviderChannelRepository },
  { provide: ProviderSlots, useClass: SqlProviderSlots },
  { provide: RedirectUrlRepository, useClass: SqlRedirectUrlRepository },
  { provide: RequestLogRepository, useClass: SqlRequestLogRepository },
  { provide: RevocationRepository, useClass: SqlRevocationRepository },
  { provide: SignInTestRepository, useClass: SqlSignInTestRepository },
  { provide: SyncSnapshotStore, useClass: SqlSyncSnapshotStore },
  { provide: UnitOfWork, useClass: SqlUnitOfWork },
  { provide: UnreadableSecrets, useClass: SqlUnreadableSecrets },
  { provide: WatchedCalendarRepository, useClass: SqlWatchedCalendarRepository },
  { provide: WebhookEndpointRepository, useClass: SqlWebhookEndpointRepository },
  { provide: WebhookMessageRepository, useClass: SqlWebhookMessageRepository },
] satisfies Provider[];
