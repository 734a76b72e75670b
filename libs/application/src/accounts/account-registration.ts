import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  Clock,
  CredentialRepository,
  Outbox,
  UnitOfWork,
  type ApplicationRef,
  type ConnectedAccount,
  type Credentials,
  type EndUserAccount,
  type ProviderType,
} from '#domain';
import { accountEvent } from './account-events.js';

/** An account that its provider has just accepted. */
export interface ProvenAccount {
  providerType: ProviderType;
  connected: ConnectedAccount;
  credentials: Credentials;
  /** undefined keeps what is stored. */
  externalId?: string | null;
}

/** Where every way of connecting an account ends: the account, its credentials and its events are one write. */
@Injectable()
export class AccountRegistration {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly outbox: Outbox,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Creates the account, or gives the one that it is these credentials; ACTIVE afterwards. */
  register(
    application: ApplicationRef,
    { providerType, connected, credentials, externalId }: ProvenAccount,
  ): Promise<EndUserAccount> {
    return this.unitOfWork.run(application, async () => {
      const { account, created, wasExpired } = await this.accounts.upsert(application, {
        ...connected,
        providerType,
        externalId,
      });
      await this.credentials.put(application, account.id, credentials);
      const at = new Date(this.clock.nowMs());
      await this.outbox.append(
        application,
        accountEvent(created ? 'enduseraccount.created' : 'enduseraccount.credential.updated', account, at),
      );
      if (wasExpired) {
        await this.outbox.append(application, accountEvent('enduseraccount.updated', account, at, 'reconnected'));
      }
      return account;
    });
  }
}
