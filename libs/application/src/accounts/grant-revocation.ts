import { Injectable, Logger } from '@nestjs/common';
import {
  CalendarProviders,
  CredentialRepository,
  DomainError,
  RevocationRepository,
  TOKEN_TIMEOUT_MS,
  type PendingRevocation,
} from '#domain';
import { OAuthClients } from './oauth-clients.js';
import { mayPass } from './passing-failure.js';
import { authorizationOf } from './token-endpoint.js';

/** With the growing pauses between them, about a week. */
const MOST_ATTEMPTS = 20;

/** Gives grants back that nobody lives on any more. */
@Injectable()
export class GrantRevocation {
  private readonly logger = new Logger(GrantRevocation.name);

  constructor(
    private readonly revocations: RevocationRepository,
    private readonly credentials: CredentialRepository,
    private readonly clients: OAuthClients,
    private readonly providers: CalendarProviders,
  ) {}

  /** One attempt; the revocation is gone afterwards unless a later one may succeed. Throws what the database throws. */
  async attempt(revocation: PendingRevocation): Promise<void> {
    // Revoking a token ends the whole grant of that person: not while another account, connected since or before,
    // lives on it.
    if (!(await this.credentials.sharesGrant(revocation, revocation.clientId))) {
      try {
        await this.revoke(revocation);
      } catch (error) {
        if (this.staysPending(revocation, error)) return;
      }
    }
    await this.revocations.remove(revocation);
  }

  /**
   * The first attempt, which nobody waits for: what fails now is tried again from the database, whatever happens to this
   * process.
   */
  begin(revocation: PendingRevocation): void {
    this.attempt(revocation).catch((error: unknown) => {
      this.logger.warn({ msg: 'a revocation is left for later', revocationId: revocation.id, err: error });
    });
  }

  private async revoke({ applicationId, providerType, clientId, token }: PendingRevocation): Promise<void> {
    const client = await this.clients.ofGrant({ applicationId }, { providerType, clientId });
    if (client === null)
      throw new DomainError('ProviderUnavailable', 'The OAuth client of the grant is not configured.');
    const signal = AbortSignal.timeout(TOKEN_TIMEOUT_MS);
    await authorizationOf(this.providers.for(providerType)).revoke({ client, token, signal });
  }

  private staysPending({ id, applicationId, providerType, attempts }: PendingRevocation, error: unknown): boolean {
    // A fault of our own must not lose the revocation either.
    const isFinal = error instanceof DomainError && !mayPass(error);
    const staysPending = !isFinal && attempts < MOST_ATTEMPTS;
    const facts = { revocationId: id, applicationId, providerType, attempts, err: error };
    if (staysPending) this.logger.warn({ msg: 'a grant is not revoked yet', ...facts });
    else this.logger.error({ msg: 'a grant is left as it is: it could not be revoked', ...facts });
    return staysPending;
  }
}
