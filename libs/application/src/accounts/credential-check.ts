import { Injectable } from '@nestjs/common';
import {
  AccountHealthRepository,
  Clock,
  CredentialRepository,
  isGrant,
  type EndUserAccount,
  type StoredGrant,
} from '#domain';
import { AccountAccess } from './account-access.js';
import { CredentialsService } from './credentials.service.js';

/** An access token in use is refreshed when it would live shorter than this after the next check. */
const LIFE_IN_USE_MS = 10 * 60_000;
const IN_USE_MS = 60 * 60_000;
/** Providers let refresh tokens die that nobody uses for months. */
const EXERCISE_AFTER_MS = 20 * 24 * 60 * 60_000;

/** Checks the credentials of one account without a request for it: refreshes tokens ahead, and finds dead credentials. */
@Injectable()
export class CredentialCheck {
  constructor(
    private readonly credentials: CredentialRepository,
    private readonly health: AccountHealthRepository,
    private readonly access: AccountAccess,
    private readonly credentialsService: CredentialsService,
    private readonly clock: Clock,
  ) {}

  /**
   * @param intervalMs until the next check
   * @throws DomainError NotFound, EndUserAccountExpired when that is what was found out, and what the provider throws
   */
  async check(account: EndUserAccount, intervalMs: number, signal: AbortSignal): Promise<void> {
    const stored = await this.credentials.get({ applicationId: account.applicationId }, account.id);
    // A refresh that succeeds proves the grant as well as a call of the provider does.
    if (isGrant(stored) && (await this.isDueForRefresh(account, stored, intervalMs))) {
      await this.credentialsService.refresh(account, stored, signal);
    } else {
      await this.access.verify(account, signal);
    }
  }

  private async isDueForRefresh(account: EndUserAccount, grant: StoredGrant, intervalMs: number): Promise<boolean> {
    const nowMs = this.clock.nowMs();
    if (nowMs - grant.updatedAt.getTime() >= EXERCISE_AFTER_MS) return true;
    const { expiresAt } = grant.credentials;
    if (expiresAt !== null && expiresAt.getTime() - nowMs >= LIFE_IN_USE_MS + intervalMs) return false;
    const lastUse = await this.health.lastUse({ applicationId: account.applicationId }, account.id);
    return lastUse !== null && nowMs - lastUse.getTime() < IN_USE_MS;
  }
}
