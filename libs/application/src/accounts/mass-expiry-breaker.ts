import { Injectable, Logger } from '@nestjs/common';
import { DomainError, GrantLedger, type EndUserAccount, type ProviderType, type StoredGrant } from '#domain';

/** Fewer refusals than this are never a mass. */
const LEAST_REFUSED = 20;
const LARGEST_SHARE = 0.05;
const PROBE_EVERY_MS = 30_000;

/** One OAuth client at its provider. */
export interface GrantClient {
  providerType: ProviderType;
  clientId: string;
}

/** Whether a refresh may run. `probe`: the one of a refused grant that may while the breaker is tripped. */
export type RefreshPermit = 'allowed' | 'probe';

/**
 * Many grants of one client that die at once are a fault of the client's configuration or of the provider far more
 * often than the wish of as many users: then no account becomes EXPIRED, operators are told, and one refresh of theirs
 * now and then finds out whether it is over. Accounts that were not refused are refreshed as ever, and prove nothing
 * about those that were.
 */
@Injectable()
export class MassExpiryBreaker {
  private readonly logger = new Logger(MassExpiryBreaker.name);

  constructor(private readonly ledger: GrantLedger) {}

  /** Before a refresh. @throws DomainError ProviderUnavailable, for refused accounts that are held, all but the probe */
  async assertMayRefresh(client: GrantClient, accountId: string): Promise<RefreshPermit> {
    if (!(await this.ledger.isSuspect(client, accountId))) return 'allowed';
    if (await this.ledger.mayProbe(client, PROBE_EVERY_MS)) return 'probe';
    throw held();
  }

  /** A refresh succeeded, or the account has a new grant. */
  async recordRefreshed(client: GrantClient, accountId: string, permit: RefreshPermit): Promise<void> {
    await this.ledger.record(client, accountId, 'refreshed');
    if (permit === 'probe') await this.release(client);
  }

  /** A grant was refused. @throws DomainError ProviderUnavailable, when it is one of too many to believe it */
  async recordRejected(client: GrantClient, accountId: string): Promise<void> {
    const { judged, refused, heldSince } = await this.ledger.record(client, accountId, 'refused');
    if (heldSince === null) {
      if (refused < LEAST_REFUSED || refused <= judged * LARGEST_SHARE) return;
      if (await this.ledger.hold(client)) {
        this.logger.error({
          msg: 'too many grants of an OAuth client are refused at once: no account is made EXPIRED until one refresh succeeds',
          ...client,
          judged,
          refused,
        });
      }
    }
    throw held();
  }

  /** Lets accounts become EXPIRED again: a probe succeeded, or an operator knows better. False when nothing was held. */
  async release(client: GrantClient): Promise<boolean> {
    const released = await this.ledger.release(client);
    if (released) this.logger.warn({ msg: 'grants of an OAuth client are judged again', ...client });
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

/** The client that a grant was given to. */
export function clientOf({ providerType }: EndUserAccount, { credentials }: StoredGrant): GrantClient {
  return { providerType, clientId: credentials.clientId };
}
