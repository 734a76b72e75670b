import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { GrantRevocation } from '#application';
import { RevocationRepository } from '#domain';
import { RepeatingTask } from './repeating-task.js';

const PAUSE_MS = 15_000;
const CLAIMED = 20;

/** Revokes the grants of deleted accounts that could not be revoked when those were deleted. */
@Injectable()
export class RevocationRelay implements OnApplicationBootstrap {
  private readonly logger = new Logger(RevocationRelay.name);
  private readonly task = new RepeatingTask(
    'revoke-grants',
    PAUSE_MS,
    (signal) => this.relay(signal),
    (error) => this.logger.warn({ msg: 'grants could not be revoked', err: error }),
  );

  constructor(
    private readonly revocations: RevocationRepository,
    private readonly revocation: GrantRevocation,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    await this.task.stop();
  }

  /** What is left when the process stops is due again a while later, as after every attempt. */
  private async relay(signal: AbortSignal): Promise<boolean> {
    const due = await this.revocations.claimDue(CLAIMED);
    for (const revocation of due) {
      if (signal.aborted) return false;
      await this.revocation.attempt(revocation);
    }
    return due.length === CLAIMED;
  }
}
