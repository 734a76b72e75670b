import { Inject, Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import { RedirectUrlRepository } from '#domain/oauth';
import { OperatorAccountQueries } from '#domain/operator';
import { CalendarProviders } from '#domain/providers';
import { DomainError, noSuchAccount } from '#domain/system';
import { OAuthClients } from '../accounts/token-refresh.js';
import { PUBLIC_URL } from '../system/settings.js';

export interface ReconnectLink {
  providerType: ProviderType;
  url: string;
}

@Injectable()
export class AccountReconnect {
  constructor(
    private readonly accounts: OperatorAccountQueries,
    private readonly providers: CalendarProviders,
    private readonly clients: OAuthClients,
    private readonly redirectUrls: RedirectUrlRepository,
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
  ) {}

  /** @throws DomainError NotFound; Conflict without OAuth, OAuth client or redirect URL */
  async link(accountId: string): Promise<ReconnectLink> {
    const account = await this.accounts.find(accountId);
    if (account === null) throw noSuchAccount();
    const { applicationId, providerType, email } = account;
    if (this.providers.for(providerType).authorization === null) {
      throw new DomainError(
        'Conflict',
        `${providerType} accounts have a password: the application has to connect this one with the new password.`,
      );
    }
    if ((await this.clients.of({ applicationId }, providerType)) === null) {
      throw new DomainError(
        'Conflict',
        `The application has no OAuth client for ${providerType} accounts: set one first.`,
      );
    }
    if ((await this.redirectUrls.list({ applicationId })).length === 0) {
      throw new DomainError(
        'Conflict',
        'The application has no redirect URL, where users come back to: add one first.',
      );
    }
    return { providerType, url: this.authorizeUrl(applicationId, providerType, email) };
  }

  private authorizeUrl(applicationId: string, providerType: ProviderType, loginHint: string): string {
    const root = this.publicUrl.replace(/\/+$/, '');
    const path = `/api/v1/oauth/authorize/${applicationId}/${providerType.toLowerCase()}`;
    return `${root}${path}?loginHint=${encodeURIComponent(loginHint)}`;
  }
}
