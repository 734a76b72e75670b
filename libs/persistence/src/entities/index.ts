import {
  AccountHealthEntity,
  AccountStatusChangeEntity,
  ConnectRefusalEntity,
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
  OperatorLoginFailureEntity,
  OperatorSessionEntity,
  OperatorSignOnEntity,
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
  GrantHoldEntity,
  GrantRevocationEntity,
  GrantTallyEntity,
  OAuthAttemptEntity,
  OAuthClientEntity,
  RedirectUrlEntity,
  SignInTestEntity,
} from './oauth.entities.js';
import {
  PrivatePropertyEntity,
  ProviderChannelEntity,
  SyncSnapshotEntity,
  WatchedCalendarEntity,
} from './calendars.entities.js';
import { ProviderBudgetEntity, ProviderConfigurationEntity, ProviderSlotEntity } from './providers.entities.js';

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
  ProviderBudgetEntity,
  EncryptionRotationEntity,
  OAuthClientEntity,
  RedirectUrlEntity,
  OAuthAttemptEntity,
  OutboxMessageEntity,
  GrantRevocationEntity,
  GrantTallyEntity,
  GrantHoldEntity,
  AccountHealthEntity,
  ConnectRefusalEntity,
  ProviderSlotEntity,
  WatchedCalendarEntity,
  ProviderChannelEntity,
  WebhookEndpointEntity,
  WebhookMessageEntity,
  DeliveryAttemptEntity,
  AccountStatusChangeEntity,
  OperatorEntity,
  OperatorSessionEntity,
  OperatorInvitationEntity,
  OperatorLoginFailureEntity,
  OperatorSignOnEntity,
  SignInTestEntity,
  RequestRecordEntity,
];
