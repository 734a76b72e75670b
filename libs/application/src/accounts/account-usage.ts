import { Injectable, Logger } from '@nestjs/common';
import { CredentialCheckRepository, type EndUserAccount } from '#domain/accounts';
import { Clock } from '#domain/system';

const RECORD_EVERY_MS = 5 * 60_000;
/** Accounts kept in memory. Clearing them costs a statement each. */
const CROWDED = 50_000;

/** Records which accounts applications use, so that their tokens are refreshed ahead of time. */
@Injectable()
export class AccountUsage {
  private readonly logger = new Logger(AccountUsage.name);
  private recordedAtMs = new Map<string, number>();

  constructor(
    private readonly health: CredentialCheckRepository,
    private readonly clock: Clock,
  ) {}

  note({ applicationId, id }: EndUserAccount): void {
    const nowMs = this.clock.nowMs();
    const sinceMs = nowMs - (this.recordedAtMs.get(id) ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back counts as elapsed time.
    if (sinceMs >= 0 && sinceMs < RECORD_EVERY_MS) return;
    if (this.recordedAtMs.size >= CROWDED) this.recordedAtMs.clear();
    this.recordedAtMs.set(id, nowMs);
    this.health.recordUse({ applicationId }, id, new Date(nowMs)).catch((error: unknown) => {
      this.recordedAtMs.delete(id);
      this.logger.warn({ msg: 'account use could not be recorded', accountId: id, err: error });
    });
  }
}
