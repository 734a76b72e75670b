export { AdminModule } from './admin.module.js';
export { AdministrationModule } from './administration.module.js';
export { OperatorAccessModule } from './operator-access.module.js';
export { OperatorAuditService } from './operator-audit.service.js';
export { InvitationAcceptance } from './invitation-acceptance.js';
export { DEVICE_LIFETIME_MS, OperatorDeviceKeys, OperatorDevices } from './operator-devices.js';
export { assertTokenScope, OperatorTokens, type OperatorTokenView } from './operator-tokens.js';
export { OperatorInvitations, type EmailInvitation } from './operator-invitations.js';
export { SignInThrottle } from './sign-in-throttle.js';
export { PasswordSignIn } from './password-sign-in.js';
export { inBrowser } from './operator-browser.js';
export { OperatorPasswords } from './operator-passwords.js';
export { OperatorSessions, type NewSession, type AuthenticatedSession, OperatorSettings } from './operator-sessions.js';
export { SsoService, SsoRequests } from './sso.service.js';
export { SsoIdentities } from './sso-identities.js';
export { OperatorsService } from './operators.service.js';
export { AccountReconnect, OperatorAccountsService, type AccountDetailWithFailure } from './accounts.service.js';
export { RequestHistoryRecorder } from './request-history-recorder.js';
export { RequestHistoryService } from './request-history.service.js';
export {
  DeliveryActions,
  OperatorDeliveriesService,
  type StatsRange,
  type MessageDetailWithAttempts,
} from './deliveries.service.js';
export { FailedJobsService } from './overview-sections.js';
export { OverviewService } from './overview.service.js';
export type { ProviderHealth } from './overview-sections.js';
