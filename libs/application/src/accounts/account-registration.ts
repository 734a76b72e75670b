import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  CredentialRepository,
  UnitOfWork,
  WatchedCalendarRepository,
  type ApplicationRef,
  type ConnectedAccount,
  type Credentials,
  type EndUserAccount,
  type ProviderType,
} from '#domain';
import { AccountEvents } from './account-events.js';

/** An account that its provider has just accepted. */
export interface ProvenAccount {
  providerType: ProviderType;
  connected: ConnectedAccount;
  credentials: Credentials;
  /** undefined keeps what is stored. */
  externalId?: string | null;
  /** false: an `externalId` that is stored stays. Default: true. */
  replacesExternalId?: boolean;
}

/** Where every way of connecting an account ends: the account, its credentials and its events are one write. */
@Injectable()
export class AccountRegistration {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly calendars: WatchedCalendarRepository,
    private readonly events: AccountEvents,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * Creates the account, or gives the one that it is these credentials; ACTIVE afterwards.
   * @throws ExternalIdMismatch, with nothing stored, also when another connection bound the account meanwhile
   */
  register(
    application: ApplicationRef,
    { providerType, connected, credentials, externalId, replacesExternalId }: ProvenAccount,
  ): Promise<EndUserAccount> {
    return this.unitOfWork.run(application, async () => {
      const { account, created, wasExpired, changed } = await this.accounts.upsert(application, {
        ...connected,
        providerType,
        externalId,
        replacesExternalId,
      });
      await this.credentials.put(application, account.id, credentials);
      await this.events.append(
        application,
        created ? 'enduseraccount.created' : 'enduseraccount.credential.updated',
        account,
      );
      if (changed) {
        const reason = wasExpired ? 'reconnected' : undefined;
        await this.events.append(application, 'enduseraccount.updated', account, reason);
      }
      // Nobody could look meanwhile, nor see to the channels.
      if (wasExpired) await this.calendars.hintAccount(application, account.id);
      return account;
    });
  }
}
