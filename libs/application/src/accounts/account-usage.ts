import { Injectable, Logger } from '@nestjs/common';
import { CredentialCheckRepository, type EndUserAccount } from '#domain/accounts';
import { Clock } from '#domain/system';

const RECORD_USE_EVERY_MS = 5 * 60_000;
const RECORD_ACCEPTED_EVERY_MS = 30_000;
/** Accounts kept in memory. Clearing them costs a statement each. */
const CROWDED = 50_000;

/** Records which accounts applications use, and whose credentials a provider accepted, so that checks can spare them. */
@Injectable()
export class AccountUsage {
  private readonly logger = new Logger(AccountUsage.name);
  private readonly uses = new Map<string, number>();
  private readonly proofs = new Map<string, number>();

  constructor(
    private readonly health: CredentialCheckRepository,
    private readonly clock: Clock,
  ) {}

  recordUse(account: EndUserAccount): void {
    this.record(account, this.uses, RECORD_USE_EVERY_MS, (at) => this.health.recordUse(account, account.id, at));
  }

  /** An authenticated answer postpones the next check. */
  recordAccepted(account: EndUserAccount): void {
    this.record(account, this.proofs, RECORD_ACCEPTED_EVERY_MS, (at) =>
      this.health.recordAccepted(account, account.id, at),
    );
  }

  private record(
    { id }: EndUserAccount,
    recordedAtMs: Map<string, number>,
    everyMs: number,
    write: (at: Date) => Promise<void>,
  ): void {
    const nowMs = this.clock.nowMs();
    const sinceMs = nowMs - (recordedAtMs.get(id) ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back counts as elapsed time.
    if (sinceMs >= 0 && sinceMs < everyMs) return;
    if (recordedAtMs.size >= CROWDED) recordedAtMs.clear();
    recordedAtMs.set(id, nowMs);
    write(new Date(nowMs)).catch((error: unknown) => {
      recordedAtMs.delete(id);
      this.logger.warn({ msg: 'account activity could not be recorded', accountId: id, err: error });
    });
  }
}
