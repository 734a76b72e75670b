import { Processor } from '@nestjs/bullmq';
import { GrantRevocation } from '#application/accounts';
import { RevocationRepository } from '#domain/accounts';
import { tokenRevocation, WORKER_OPTIONS, type RevocationPayload } from '#jobs';
import { JobProcessor, type FailedJobFacts } from '../job-processor.js';

/** Retries revocations that failed when the account was deleted. */
@Processor(tokenRevocation.queue, { ...WORKER_OPTIONS, concurrency: 5 })
export class TokenRevocationProcessor extends JobProcessor<RevocationPayload> {
  constructor(
    private readonly revocations: RevocationRepository,
    private readonly revocation: GrantRevocation,
  ) {
    super(tokenRevocation, 'revoke_grants');
  }

  protected override async run({ applicationId, revocationId }: RevocationPayload): Promise<void> {
    const pending = await this.revocations.find({ applicationId }, revocationId);
    if (pending !== null) await this.revocation.attempt(pending);
  }

  protected override logFailure(failure: FailedJobFacts): void {
    this.logger.error({ msg: 'grant revocation failed', ...failure });
  }
}
