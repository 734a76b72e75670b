import { Injectable } from '@nestjs/common';
import { AccountRepository, UnreadableSecrets, type ProviderType } from '#domain';
import { SigningSecret } from '#webhooks';
import { AccountExpiry } from './account-expiry.js';

export interface LostKeysReport {
  /** Accounts that have to be connected again. */
  expiredAccounts: number;
  /** Clients whose secrets have to be set again. */
  oauthClients: { applicationId: string; providerType: ProviderType; clientId: string }[];
  /** Endpoints and subscriptions whose secrets have to be rotated by their application. */
  endpoints: { applicationId: string; endpointId: string }[];
  /** What nobody misses: answers to repeated requests, begun sign-ins, private properties of CalDAV events. */
  forgotten: number;
}

/**
 * What is left to do when keys of ENCRYPTION_KEYS are lost for ever. Nothing of it is done without being asked for: a ring
 * with a wrong key looks the same.
 */
@Injectable()
export class LostKeys {
  constructor(
    private readonly secrets: UnreadableSecrets,
    private readonly accounts: AccountRepository,
    private readonly expiry: AccountExpiry,
  ) {}

  /** Makes accounts whose credentials cannot be opened EXPIRED, which their applications are told. */
  async giveUp(): Promise<LostKeysReport> {
    let expiredAccounts = 0;
    for (const { applicationId, accountId, rowVersion, isGrant } of await this.secrets.credentials()) {
      const account = await this.accounts.getOwned({ applicationId }, accountId);
      const reason = isGrant ? 'invalid_grant' : 'password_rejected';
      if (await this.expiry.expire(account, rowVersion, reason)) expiredAccounts += 1;
    }
    return {
      expiredAccounts,
      oauthClients: await this.secrets.oauthClients(),
      // That nobody knows them is no loss: rotation needs one to take the place of.
      endpoints: await this.secrets.replaceSigningSecrets(() => ({
        active: SigningSecret.generate().reveal(),
        retiring: [],
      })),
      forgotten: await this.secrets.forgetOthers(),
    };
  }
}
