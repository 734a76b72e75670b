import { DomainError, type AccountSession } from '#domain';

/**
 * @param provider as it is called in messages
 * @throws DomainError CredentialsRejected, for anything but an OAuth grant
 */
export function accessTokenOf({ credentials }: Pick<AccountSession, 'credentials'>, provider: string): string {
  if (credentials.kind === 'oauth') return credentials.accessToken;
  throw new DomainError('CredentialsRejected', `${provider} accounts are connected by OAuth, not by a password.`);
}
