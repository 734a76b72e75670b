import type { Api } from '../../api/index.js';

/** null when the operator need not act. */
export function nextStep(
  { status, health: { lastFailure } }: Pick<Api.AccountDetail, 'status' | 'health'>,
  authentication: Api.Provider['authentication'] | undefined,
): string | null {
  if (status === 'ACTIVE') {
    return lastFailure === null ? null : 'Nothing for now: it is tried again at the next check.';
  }
  if (authentication === undefined) return null;
  if (authentication !== 'oauth') {
    const secret = authentication === 'url' ? 'address' : 'password';
    return `Connect it again in your application, with the ${secret} that the person has now: it keeps its id.`;
  }
  return lastFailure?.reason === 'user_deleted'
    ? 'When the person can sign in there again, send them the reconnect link. If they are gone for good, delete the account.'
    : 'Send the reconnect link to the person whose account it is. Their next sign-in makes it work again, under the same id.';
}
