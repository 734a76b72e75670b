import { Injectable, Logger } from '@nestjs/common';
import {
  AccountRepository,
  CredentialRepository,
  RevocationRepository,
  type EndUserAccount,
  type OAuthCredentials,
  type PendingRevocation,
} from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { TOKEN_TIMEOUT_MS } from '#domain/oauth';
import { CalendarProviders } from '#domain/providers';
import { DomainError, UnitOfWork, isTransient, noSuchAccount } from '#domain/system';
import { AccountChannels } from './account-channels.js';
import { AccountEventPublisher } from './account-event-publisher.js';
import { authorizationOf, OAuthClients } from './token-refresh.js';

/** About a week, with the growing pauses between attempts. */
const MAX_ATTEMPTS = 20;

/** Revokes grants whose account was deleted. */
@Injectable()
export class GrantRevocation {
  private readonly logger = new Logger(GrantRevocation.name);

  constructor(
    private readonly revocations: RevocationRepository,
    private readonly credentials: CredentialRepository,
    private readonly clients: OAuthClients,
    private readonly providers: CalendarProviders,
  ) {}

  /** One attempt. Deletes the revocation unless a later attempt may succeed. Throws what the database throws. */
  async attempt(revocation: PendingRevocation): Promise<void> {
    // Revoking a token ends the whole grant of the person, so not while another account uses it.
    if (!(await this.credentials.sharesGrant(revocation, revocation.clientId))) {
      try {
        await this.revoke(revocation);
      } catch (error) {
        if (this.staysPending(revocation, error)) return;
      }
    }
    await this.revocations.remove(revocation);
  }

  /** Makes the first attempt in the background. The worker repeats it after a failure or a crash. */
  begin(revocation: PendingRevocation): void {
    this.attempt(revocation).catch((error: unknown) => {
      this.logger.warn({ msg: 'grant revocation deferred', revocationId: revocation.id, err: error });
    });
  }

  private async revoke({ applicationId, providerType, clientId, token }: PendingRevocation): Promise<void> {
    const client = await this.clients.ofGrant({ applicationId }, { providerType, clientId });
    if (client === null)
      throw new DomainError('ProviderUnavailable', 'The OAuth client of the grant is not configured.');
    const signal = AbortSignal.timeout(TOKEN_TIMEOUT_MS);
    await authorizationOf(this.providers.for(providerType)).revoke({ client, token, signal });
  }

  private staysPending({ id, applicationId, providerType, attempts }: PendingRevocation, error: unknown): boolean {
    // An internal error must not lose the revocation either.
    const isFinal = error instanceof DomainError && !isTransient(error);
    const staysPending = !isFinal && attempts < MAX_ATTEMPTS;
    const facts = { revocationId: id, applicationId, providerType, attempts, err: error };
    if (staysPending) this.logger.warn({ msg: 'grant revocation pending', ...facts });
    else this.logger.error({ msg: 'grant revocation abandoned', ...facts });
    return staysPending;
  }
}

@Injectable()
export class AccountDeletion {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly revocations: RevocationRepository,
    private readonly revocation: GrantRevocation,
    private readonly channels: AccountChannels,
    private readonly events: AccountEventPublisher,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @param note writes its record in the transaction of the deletion @throws DomainError NotFound */
  async delete(application: ApplicationRef, accountId: string, note?: () => Promise<void>): Promise<void> {
    await this.channels.stopAll(application, accountId);
    const pending = await this.unitOfWork.run(application, async () => {
      const revocation = await this.deleteRow(application, accountId);
      await note?.();
      return revocation;
    });
    if (pending !== null) this.revocation.begin(pending);
  }

  private async deleteRow(application: ApplicationRef, accountId: string): Promise<PendingRevocation | null> {
    const account = await this.accounts.getOwned(application, accountId);
    const grant = await this.grantOf(application, account);
    if (!(await this.accounts.delete(application, account.id))) {
      throw noSuchAccount();
    }
    await this.events.append(application, 'enduseraccount.deleted', account);
    if (grant === null) return null;
    return this.revocations.add(application, {
      providerType: account.providerType,
      providerAccountId: account.providerAccountId,
      clientId: grant.clientId,
      token: grant.refreshToken,
    });
  }

  private async grantOf(application: ApplicationRef, { id }: EndUserAccount): Promise<OAuthCredentials | null> {
    const { credentials } = await this.credentials.get(application, id);
    return credentials.kind === 'oauth' ? credentials : null;
  }
}
