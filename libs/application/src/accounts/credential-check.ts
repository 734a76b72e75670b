import { Injectable } from '@nestjs/common';
import {
  CredentialCheckRepository,
  CredentialRepository,
  isGrant,
  type EndUserAccount,
  type StoredGrant,
} from '#domain/accounts';
import { Clock } from '#domain/system';
import { AccountAccess } from './account-access.js';
import { CredentialsService } from './credentials.service.js';

/** Minimum life of an access token in use after the next check. */
const LIFE_IN_USE_MS = 10 * 60_000;
const IN_USE_MS = 60 * 60_000;
/** Providers drop refresh tokens that were unused for months. */
const EXERCISE_AFTER_MS = 20 * 24 * 60 * 60_000;

/** Checks credentials in the background: refreshes tokens ahead of time and finds dead credentials. */
@Injectable()
export class CredentialCheck {
  constructor(
    private readonly credentials: CredentialRepository,
    private readonly health: CredentialCheckRepository,
    private readonly access: AccountAccess,
    private readonly credentialsService: CredentialsService,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError NotFound, EndUserAccountExpired when the credentials are dead, and what the provider throws */
  async check(account: EndUserAccount, intervalMs: number, signal: AbortSignal): Promise<void> {
    const stored = await this.credentials.get({ applicationId: account.applicationId }, account.id);
    // A successful refresh verifies the grant as well as a provider call does.
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
