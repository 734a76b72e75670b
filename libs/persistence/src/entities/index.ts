import { AccountHealthEntity } from './account-health.entity.js';
import { AccountStatusChangeEntity } from './account-status-change.entity.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApplicationEntity } from './application.entity.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import { ConnectRefusalEntity } from './connect-refusal.entity.js';
import { CredentialEntity } from './credential.entity.js';
import { DeliveryAttemptEntity } from './delivery-attempt.entity.js';
import { EncryptionRotationEntity } from './encryption-rotation.entity.js';
import { EndUserAccountEntity } from './end-user-account.entity.js';
import { GrantHoldEntity } from './grant-hold.entity.js';
import { GrantRevocationEntity } from './grant-revocation.entity.js';
import { GrantTallyEntity } from './grant-tally.entity.js';
import { IdempotencyRecordEntity } from './idempotency-record.entity.js';
import { OAuthAttemptEntity } from './oauth-attempt.entity.js';
import { OAuthClientEntity } from './oauth-client.entity.js';
import { OperatorInvitationEntity } from './operator-invitation.entity.js';
import { OperatorLoginFailureEntity } from './operator-login-failure.entity.js';
import { OperatorSessionEntity } from './operator-session.entity.js';
import { OperatorSignOnEntity } from './operator-sign-on.entity.js';
import { OperatorEntity } from './operator.entity.js';
import { OutboxMessageEntity } from './outbox-message.entity.js';
import { PrivatePropertyEntity } from './private-property.entity.js';
import { ProviderBudgetEntity } from './provider-budget.entity.js';
import { ProviderChannelEntity } from './provider-channel.entity.js';
import { ProviderConfigurationEntity } from './provider-configuration.entity.js';
import { ProviderSlotEntity } from './provider-slot.entity.js';
import { RedirectUrlEntity } from './redirect-url.entity.js';
import { RequestRecordEntity } from './request-record.entity.js';
import { SignInTestEntity } from './sign-in-test.entity.js';
import { SyncSnapshotEntity } from './sync-snapshot.entity.js';
import { WatchedCalendarEntity } from './watched-calendar.entity.js';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import { WebhookMessageEntity } from './webhook-message.entity.js';

/** Every table of ours. */
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
