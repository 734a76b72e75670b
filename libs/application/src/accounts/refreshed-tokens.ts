import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  CredentialRepository,
  UnitOfWork,
  type EndUserAccount,
  type OAuthCredentials,
  type OAuthTokens,
  type StoredCredential,
} from '#domain';

/** Undoes a transaction: other credentials are stored by now. */
export class Superseded extends Error {}

/** null when the transaction was undone by {@link Superseded}. */
export async function unlessSuperseded<T>(transaction: Promise<T>): Promise<T | null> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof Superseded) return null;
    throw error;
  }
}

/** Stored credentials of an account that lives on a grant. */
export type StoredGrant = StoredCredential & { credentials: OAuthCredentials };

/** Writes down what a refresh gave. */
@Injectable()
export class RefreshedTokens {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * Replaces exactly the version that was refreshed; what the answer left out goes on (RFC 6749 §5.1, §6).
   * @returns null, and nothing is written, when other credentials are stored by now
   */
  async save(account: EndUserAccount, refreshed: StoredGrant, tokens: OAuthTokens): Promise<StoredCredential | null> {
    const application = { applicationId: account.applicationId };
    const { clientId, refreshToken } = refreshed.credentials;
    const saved = this.unitOfWork.run(application, async () => {
      // Account first, then credentials: the order in which connecting locks them, too.
      if (tokens.scopes !== null) await this.accounts.saveAuthorizedScopes(application, account.id, tokens.scopes);
      const replaced = await this.credentials.replace(application, account.id, refreshed.rowVersion, {
        kind: 'oauth',
        clientId,
        accessToken: tokens.accessToken,
        refreshToken: tokens.refreshToken ?? refreshToken,
        expiresAt: tokens.expiresAt,
      });
      if (replaced === null) throw new Superseded();
      return replaced;
    });
    return unlessSuperseded(saved);
  }
}
