import { Injectable } from '@nestjs/common';
import { AccountRepository, UnreadableSecrets, type ProviderType } from '#domain/accounts';
import { SigningSecret } from '#webhooks';
import { AccountExpiry } from './account-expiry.js';

export interface KeyLossReport {
  expiredAccounts: number;
  oauthClients: { applicationId: string; providerType: ProviderType; clientId: string }[];
  endpoints: { applicationId: string; endpointId: string }[];
  /** Number of deleted disposable rows: idempotent responses, pending sign-ins, private properties of CalDAV events. */
  forgotten: number;
}

/** Runs on request only, because a wrong key looks the same as a lost one. */
@Injectable()
export class KeyLossRecovery {
  constructor(
    private readonly secrets: UnreadableSecrets,
    private readonly accounts: AccountRepository,
    private readonly expiry: AccountExpiry,
  ) {}

  async discardUnreadable(): Promise<KeyLossReport> {
    let expiredAccounts = 0;
    for (const { applicationId, accountId, rowVersion, isGrant } of await this.secrets.credentials()) {
      const account = await this.accounts.getOwned({ applicationId }, accountId);
      const reason = isGrant ? 'invalid_grant' : 'password_rejected';
      if (await this.expiry.expire(account, rowVersion, reason)) expiredAccounts += 1;
    }
    return {
      expiredAccounts,
      oauthClients: await this.secrets.oauthClients(),
      // The applications do not know the new secrets, but a rotation needs a readable one to replace.
      endpoints: await this.secrets.replaceSigningSecrets(() => ({
        active: SigningSecret.generate().reveal(),
        retiring: [],
      })),
      forgotten: await this.secrets.deleteOthers(),
    };
  }
}
