import type { AccountStatusReason } from '#domain/accounts';
import type { AccountDetail } from '#domain/operator';

export interface AccountFailure {
  at: Date;
  reason: string;
  explanation: string;
}

/** A first rejection of a password, before it is confirmed. */
const UNCONFIRMED = 'rejection_unconfirmed';

const EXPLANATIONS: Record<Exclude<AccountStatusReason, 'reconnected'> | typeof UNCONFIRMED, string> = {
  invalid_grant:
    'The provider no longer accepts what the user granted: it was revoked, it was not used for too long, or the user ' +
    'has a new password. The user has to sign in again.',
  consent_revoked:
    'The user, or an administrator of their organization, has withdrawn the consent. It has to be given again: by the ' +
    'user, who signs in once more, or by the administrator.',
  user_deleted:
    'The provider says that there is no such user any more, or that the user is locked. Only the organization of the ' +
    'user can change that.',
  password_rejected:
    'The server refused the password, and refused it again later. The user has to connect the account with the present ' +
    'password; most providers want one that is made for an app.',
  [UNCONFIRMED]:
    'The server refused the password. Servers do that by mistake, too: it is tried again within a minute, and the ' +
    'account is EXPIRED when it is refused then.',
};

export function lastFailureOf({
  status,
  statusReason,
  statusSince,
  rejectedAt,
}: Pick<AccountDetail, 'status' | 'statusReason' | 'statusSince' | 'rejectedAt'>): AccountFailure | null {
  if (status === 'EXPIRED') return failure(statusSince, statusReason ?? 'unknown');
  return rejectedAt === null ? null : failure(rejectedAt, UNCONFIRMED);
}

function failure(at: Date, reason: string): AccountFailure {
  return { at, reason, explanation: explanationOf(reason) };
}

function explanationOf(reason: string): string {
  return Object.hasOwn(EXPLANATIONS, reason)
    ? EXPLANATIONS[reason as keyof typeof EXPLANATIONS]
    : 'The credentials do not work any more. The user has to connect the account again.';
}
