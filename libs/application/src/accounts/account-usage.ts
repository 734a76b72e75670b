import { Injectable, Logger } from '@nestjs/common';
import { CredentialCheckRepository, Clock, type EndUserAccount } from '#domain';

const NOTE_EVERY_MS = 5 * 60_000;
/** Accounts kept in memory. Clearing them costs a statement each. */
const CROWDED = 50_000;

/** Records which accounts applications use, so that their tokens are refreshed ahead of time. */
@Injectable()
export class AccountUsage {
  private readonly logger = new Logger(AccountUsage.name);
  private notedAtMs = new Map<string, number>();

  constructor(
    private readonly health: CredentialCheckRepository,
    private readonly clock: Clock,
  ) {}

  note({ applicationId, id }: EndUserAccount): void {
    const nowMs = this.clock.nowMs();
    const sinceMs = nowMs - (this.notedAtMs.get(id) ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back counts as elapsed time.
    if (sinceMs >= 0 && sinceMs < NOTE_EVERY_MS) return;
    if (this.notedAtMs.size >= CROWDED) this.notedAtMs.clear();
    this.notedAtMs.set(id, nowMs);
    this.health.noteUse({ applicationId }, id, new Date(nowMs)).catch((error: unknown) => {
      this.notedAtMs.delete(id);
      this.logger.warn({ msg: 'the use of an account was not noted', accountId: id, err: error });
    });
  }
}
