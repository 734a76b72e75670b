import type { AccountDetail } from '#operator-api';

/** What an operator does about an account, in a sentence; null: nothing. */
export function nextStep({ status, providerType, health }: Pick<AccountDetail, 'status' | 'providerType' | 'health'>) {
  if (status === 'ACTIVE') {
    return health.lastFailure === null
      ? null
      : 'Nothing for now: it is asked again at the next check. If it goes on, look at the requests of this account.';
  }
  if (providerType === 'GOOGLE' || providerType === 'MICROSOFT') {
    return 'Send the reconnect link below to the person whose account it is. Their next sign-in makes it work again, under the same id.';
  }
  return providerType === 'APPLE'
    ? 'Ask the person for a new app-specific password (account.apple.com), and connect the account with it in your application: it keeps its id.'
    : 'Ask the person for the password as it is now, and connect the account with it in your application: it keeps its id.';
}
