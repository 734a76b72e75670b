import { Injectable, Logger } from '@nestjs/common';
import { MassExpiryRepository, type EndUserAccount, type ProviderType, type StoredGrant } from '#domain/accounts';
import { DomainError } from '#domain/system';

const MIN_REJECTED = 20;
const MAX_SHARE = 0.05;
const PROBE_EVERY_MS = 30_000;

export interface GrantClient {
  providerType: ProviderType;
  clientId: string;
}

/** `probe`: the one refresh of a rejected grant that may run while the breaker is tripped. */
export type RefreshPermit = 'allowed' | 'probe';

/**
 * Stops accounts from expiring when many grants of one client are rejected at once: usually the client's configuration
 * or the provider is wrong. One probe at a time of a rejected grant finds out when that is over.
 */
@Injectable()
export class MassExpiryBreaker {
  private readonly logger = new Logger(MassExpiryBreaker.name);

  constructor(private readonly ledger: MassExpiryRepository) {}

  /** @throws DomainError ProviderUnavailable for rejected accounts while the breaker is tripped, except the probe */
  async assertMayRefresh(client: GrantClient, accountId: string): Promise<RefreshPermit> {
    if (!(await this.ledger.isRejected(client, accountId))) return 'allowed';
    if (await this.ledger.mayProbe(client, PROBE_EVERY_MS)) return 'probe';
    throw held();
  }

  async recordRefreshed(client: GrantClient, accountId: string, permit: RefreshPermit): Promise<void> {
    await this.ledger.record(client, accountId, 'refreshed');
    if (permit === 'probe') await this.release(client);
  }

  /** @throws DomainError ProviderUnavailable while the breaker is tripped */
  async recordRejected(client: GrantClient, accountId: string): Promise<void> {
    const { decided, rejected, breakerTrippedSince } = await this.ledger.record(client, accountId, 'rejected');
    if (breakerTrippedSince === null) {
      if (rejected < MIN_REJECTED || rejected <= decided * MAX_SHARE) return;
      if (await this.ledger.trip(client)) {
        this.logger.error({
          msg: 'mass-expiry breaker tripped: accounts stay ACTIVE until a refresh succeeds',
          ...client,
          decided,
          rejected,
        });
      }
    }
    throw held();
  }

  /** Returns false when the breaker was not tripped. */
  async release(client: GrantClient): Promise<boolean> {
    const released = await this.ledger.release(client);
    if (released) this.logger.warn({ msg: 'mass-expiry breaker reset', ...client });
    return released;
  }
}

function held(): DomainError {
  return new DomainError(
    'ProviderUnavailable',
    'The provider refuses the authorizations of many accounts at once, so that this one is not believed yet.',
    { retryAfterSeconds: PROBE_EVERY_MS / 1_000 },
  );
}

export function clientOf({ providerType }: EndUserAccount, { credentials }: StoredGrant): GrantClient {
  return { providerType, clientId: credentials.clientId };
}
