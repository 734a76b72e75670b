import { Injectable } from '@nestjs/common';
import type { EndUserAccount, ExpiryReason } from '#domain';
import { AccountExpiry } from './account-expiry.js';
import { MassExpiryBreaker, type Admission, type GrantClient } from './mass-expiry-breaker.js';
import type { StoredGrant } from './refreshed-tokens.js';

/** What the answers about one account's grant mean for the account, in view of all the others of its client. */
@Injectable()
export class GrantVerdicts {
  constructor(
    private readonly breaker: MassExpiryBreaker,
    private readonly expiry: AccountExpiry,
  ) {}

  /** Before a grant is put to the test. @throws DomainError ProviderUnavailable, when it must not be now */
  admit(account: EndUserAccount, grant: StoredGrant): Promise<Admission> {
    return this.breaker.admit(clientOf(account, grant), account.id);
  }

  acquit(account: EndUserAccount, grant: StoredGrant, admission: Admission): Promise<void> {
    return this.breaker.noteRefreshed(clientOf(account, grant), account.id, admission);
  }

  /** A first refusal. @throws DomainError ProviderUnavailable, when it is one of too many */
  suspect(account: EndUserAccount, grant: StoredGrant): Promise<void> {
    return this.breaker.noteRefused(clientOf(account, grant), account.id);
  }

  /**
   * A confirmed refusal: the account becomes EXPIRED.
   * @returns false when other credentials are stored by now
   * @throws DomainError ProviderUnavailable, when it is one of too many
   */
  async condemn(account: EndUserAccount, grant: StoredGrant, reason: ExpiryReason): Promise<boolean> {
    await this.suspect(account, grant);
    return this.expiry.expire(account, grant.rowVersion, reason);
  }
}

function clientOf({ providerType }: EndUserAccount, { credentials }: StoredGrant): GrantClient {
  return { providerType, clientId: credentials.clientId };
}
