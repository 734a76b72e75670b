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

/** Intervals for which the provider's last acceptance stands for a check. Two checks are never further apart. */
const ACCEPTED_FOR = 1.1;

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
    const [stored, activity] = await Promise.all([
      this.credentials.get(account, account.id),
      this.health.activity(account, account.id),
    ]);
    // A successful refresh verifies the grant as well as a provider call does.
    if (isGrant(stored) && this.isDueForRefresh(stored, activity?.lastUsedAt ?? null, intervalMs)) {
      await this.credentialsService.refresh(account, stored, signal);
      return;
    }
    const acceptedUntilMs = (activity?.acceptedAt?.getTime() ?? 0) + intervalMs * ACCEPTED_FOR;
    if (acceptedUntilMs > this.clock.nowMs())
      return this.health.checkBy(account, account.id, new Date(acceptedUntilMs));
    if (await this.access.verify(account, signal)) return;
    if (isGrant(stored)) await this.credentialsService.refresh(account, stored, signal);
  }

  private isDueForRefresh(grant: StoredGrant, lastUsedAt: Date | null, intervalMs: number): boolean {
    const nowMs = this.clock.nowMs();
    if (nowMs - grant.updatedAt.getTime() >= EXERCISE_AFTER_MS) return true;
    const { expiresAt } = grant.credentials;
    if (expiresAt !== null && expiresAt.getTime() - nowMs >= LIFE_IN_USE_MS + intervalMs) return false;
    return lastUsedAt !== null && nowMs - lastUsedAt.getTime() < IN_USE_MS;
  }
}
