import { Injectable } from '@nestjs/common';
import { AuditLog } from '#domain/operator';
import { DomainError, QueueMonitor, type FailedJob } from '#domain/system';
import { recordAction } from '../system/actor.js';

const LISTED = 100;

/** Jobs carry ids only, so running one again does the remaining work or nothing. */
@Injectable()
export class FailedJobsService {
  constructor(
    private readonly board: QueueMonitor,
    private readonly audit: AuditLog,
  ) {}

  /** The newest 100 per queue, newest first. @throws DomainError ProviderUnavailable */
  list(): Promise<FailedJob[]> {
    return this.board.failed(LISTED);
  }

  /** @param jobId default: all @throws DomainError NotFound for an unknown queue or job, ProviderUnavailable */
  async redrive(queue: string, jobId?: string): Promise<{ redriven: number }> {
    const redriven = await this.board.redrive(queue, jobId ?? null);
    if (redriven === null) throw new DomainError('NotFound', 'There is no queue with this name.');
    if (redriven === 0 && jobId !== undefined) {
      throw new DomainError('NotFound', 'The queue has no failed job with this id any more.');
    }
    const subject = jobId === undefined ? `queue:${queue}` : `job:${queue}/${jobId}`;
    await recordAction(this.audit, 'failed-jobs.redriven', subject);
    return { redriven };
  }
}
