import { Injectable } from '@nestjs/common';
import {
  Clock,
  CredentialRepository,
  DomainError,
  TOKEN_TIMEOUT_MS,
  type EndUserAccount,
  type StoredCredential,
} from '#domain';
import { counter, inSpan } from '#platform/telemetry';
import { accountExpired } from './account-expiry.js';
import { GrantVerdicts } from './grant-verdicts.js';
import type { Admission } from './mass-expiry-breaker.js';
import { RefreshedTokens, type StoredGrant } from './refreshed-tokens.js';
import { Timer } from './timer.js';
import { TokenEndpoint } from './token-endpoint.js';

const refreshes = counter('calendar_token_refreshes_total');

/** A refusal is asked for once more after this long, before it is believed. */
const CONFIRM_AFTER_MS = 5_000;

/** One refresh, and what follows from its outcome. */
@Injectable()
export class TokenRefresh {
  constructor(
    private readonly endpoint: TokenEndpoint,
    private readonly tokens: RefreshedTokens,
    private readonly credentials: CredentialRepository,
    private readonly verdicts: GrantVerdicts,
    private readonly timer: Timer,
    private readonly clock: Clock,
  ) {}

  /**
   * For the holder of the account's lease, which ends at `leasedUntilMs` (epoch).
   * @returns null when other credentials are stored by now
   * @throws DomainError EndUserAccountExpired, when the grant is dead; ProviderUnavailable, ProviderTimeout,
   *   ProviderRateLimited, when nothing can be said about it
   */
  refresh(account: EndUserAccount, grant: StoredGrant, leasedUntilMs: number): Promise<StoredCredential | null> {
    const attributes = { 'calendar.account.id': account.id, 'calendar.provider': account.providerType };
    return inSpan('account.refresh', { attributes }, () => this.decide(account, grant, leasedUntilMs));
  }

  private async decide(
    account: EndUserAccount,
    grant: StoredGrant,
    leasedUntilMs: number,
  ): Promise<StoredCredential | null> {
    const admission = await this.verdicts.admit(account, grant);
    const { providerType: provider } = account;
    try {
      const saved = await this.ask(account, grant, admission, leasedUntilMs);
      refreshes.add(1, { provider, outcome: saved === null ? 'superseded' : 'refreshed' });
      return saved;
    } catch (error) {
      const isDead = error instanceof DomainError && error.code === 'EndUserAccountExpired';
      refreshes.add(1, { provider, outcome: isDead ? 'refused' : 'failed' });
      throw error;
    }
  }

  private async ask(
    account: EndUserAccount,
    grant: StoredGrant,
    admission: Admission,
    leasedUntilMs: number,
  ): Promise<StoredCredential | null> {
    let decision = await this.endpoint.refreshGrantOf(account, grant.credentials);
    if (decision.state === 'grant-refused') {
      // Counted at once: of a mass of refusals none is confirmed before the breaker knows of all of them.
      await this.verdicts.suspect(account, grant);
      if (await this.isReplaced(account, grant)) return null;
      await this.timer.sleep(CONFIRM_AFTER_MS);
      if (await this.isReplaced(account, grant)) return null;
      if (this.clock.nowMs() + TOKEN_TIMEOUT_MS > leasedUntilMs) throw unconfirmed();
      decision = await this.endpoint.refreshGrantOf(account, grant.credentials);
    }
    if (decision.state === 'grant-refused') {
      if (await this.verdicts.condemn(account, grant, decision.reason)) throw accountExpired();
      return null;
    }
    // Stored before anything else can fail: the provider may accept no other refresh token from now on.
    const saved = await this.tokens.save(account, grant, decision.tokens);
    await this.verdicts.acquit(account, grant, admission);
    return saved;
  }

  private async isReplaced(account: EndUserAccount, grant: StoredGrant): Promise<boolean> {
    const version = await this.credentials.version({ applicationId: account.applicationId }, account.id);
    return version !== grant.rowVersion;
  }
}

function unconfirmed(): DomainError {
  return new DomainError(
    'ProviderUnavailable',
    'The provider took too long to confirm that it refuses the authorization of this account.',
  );
}
