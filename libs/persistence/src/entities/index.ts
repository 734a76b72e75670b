import {
  CredentialCheckEntity,
  AccountStatusChangeEntity,
  FailedConnectEntity,
  CredentialEntity,
  EndUserAccountEntity,
} from './accounts.entities.js';
import {
  ApiKeyEntity,
  ApplicationEntity,
  IdempotencyRecordEntity,
  RequestRecordEntity,
} from './applications.entities.js';
import {
  AuditEntryEntity,
  OperatorInvitationEntity,
  OperatorSignInFailureEntity,
  OperatorSessionEntity,
  OperatorSsoRequestEntity,
  OperatorTokenEntity,
  OperatorEntity,
} from './operators.entities.js';
import {
  DeliveryAttemptEntity,
  OutboxMessageEntity,
  WebhookEndpointEntity,
  WebhookMessageEntity,
} from './webhooks.entities.js';
import { EncryptionRotationEntity } from './encryption-rotation.entity.js';
import {
  MassExpiryBreakerEntity,
  GrantRevocationEntity,
  RefreshStatsEntity,
  AuthorizationRequestEntity,
  ConnectLinkEntity,
  OAuthClientEntity,
  RedirectUrlEntity,
  SignInTestEntity,
} from './oauth.entities.js';
import {
  PrivatePropertyEntity,
  ProviderChannelEntity,
  SyncSnapshotEntity,
  SyncedCalendarEntity,
} from './calendars.entities.js';
import {
  ReadingPlanEntity,
  ProviderRateEntity,
  ProviderConfigurationEntity,
  ProviderPermitEntity,
  RequestCountEntity,
} from './providers.entities.js';

export const ENTITIES = [
  ApplicationEntity,
  ApiKeyEntity,
  ProviderConfigurationEntity,
  EndUserAccountEntity,
  CredentialEntity,
  PrivatePropertyEntity,
  SyncSnapshotEntity,
  IdempotencyRecordEntity,
  AuditEntryEntity,
  ProviderRateEntity,
  EncryptionRotationEntity,
  OAuthClientEntity,
  RedirectUrlEntity,
  AuthorizationRequestEntity,
  ConnectLinkEntity,
  OutboxMessageEntity,
  GrantRevocationEntity,
  RefreshStatsEntity,
  MassExpiryBreakerEntity,
  CredentialCheckEntity,
  FailedConnectEntity,
  ProviderPermitEntity,
  SyncedCalendarEntity,
  ProviderChannelEntity,
  WebhookEndpointEntity,
  WebhookMessageEntity,
  DeliveryAttemptEntity,
  AccountStatusChangeEntity,
  OperatorEntity,
  OperatorSessionEntity,
  OperatorInvitationEntity,
  OperatorSignInFailureEntity,
  OperatorSsoRequestEntity,
  OperatorTokenEntity,
  SignInTestEntity,
  RequestRecordEntity,
  RequestCountEntity,
  ReadingPlanEntity,
];
