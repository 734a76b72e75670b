import { Logger, Injectable } from '@nestjs/common';
import { withDeadline } from '#platform/deadline';
import type { ProviderType } from '#domain/accounts';
import { AuditLog } from '#domain/operator';
import { DomainError, QueueMonitor, type FailedJob } from '#domain/system';
import { recordAction } from '../system/actor.js';

export interface CachedSectionOptions {
  /** How long a value is cached, milliseconds. */
  ttlMs?: number;
  /** Longest wait, milliseconds. */
  deadlineMs?: number;
  monotonicMs?: () => number;
}

/** Sections are read separately, so that a slow or failing one does not affect the others. */
export class CachedSection<T> {
  private readonly logger = new Logger(CachedSection.name);
  private readonly ttlMs: number;
  private readonly deadlineMs: number;
  private readonly monotonicMs: () => number;
  private kept: { value: T; untilMs: number } | null = null;
  private reading: Promise<T> | null = null;
  private isDown = false;

  constructor(
    private readonly name: string,
    private readonly load: () => Promise<T>,
    { ttlMs = 2_000, deadlineMs = 3_000, monotonicMs = () => performance.now() }: CachedSectionOptions = {},
  ) {
    this.ttlMs = ttlMs;
    this.deadlineMs = deadlineMs;
    this.monotonicMs = monotonicMs;
  }

  /** Returns null when the value cannot be read in time. Runs one read at a time. */
  async read(): Promise<T | null> {
    if (this.kept !== null && this.monotonicMs() < this.kept.untilMs) return this.kept.value;
    this.reading ??= this.begin();
    try {
      const value = await withDeadline(this.reading, this.deadlineMs, () => {
        throw new SectionTimeout(`no answer within ${this.deadlineMs} ms`);
      });
      this.isDown = false;
      return value;
    } catch (error) {
      if (!this.isDown) this.logger.warn({ msg: 'overview section unavailable', part: this.name, err: error });
      this.isDown = true;
      return null;
    }
  }

  private async begin(): Promise<T> {
    try {
      const value = await this.load();
      this.kept = { value, untilMs: this.monotonicMs() + this.ttlMs };
      return value;
    } finally {
      this.reading = null;
    }
  }
}

class SectionTimeout extends Error {
  override readonly name = 'SectionTimeout';
}

export interface ProviderHealth {
  providerType: ProviderType;
  /** `troubled`: some requests fail, or the mass-expiry breaker is tripped. `unknown`: no requests. */
  state: 'ok' | 'troubled' | 'down' | 'unknown';
  requests: number;
  /** 502, 503 and 504. */
  failures: number;
  lastFailureAt: Date | null;
}

export interface ProviderRequests {
  requests: number;
  failures: number;
  recentRequests: number;
  recentFailures: number;
}

const TROUBLED_SHARE = 0.05;
const DOWN_SHARE = 0.5;
/** Fewer failures may come from one account. */
const MIN_FAILURES_OF_DOWN = 3;

/** Prefers the recent minutes, so that a provider that recovered is not shown as down for an hour. */
export function providerState(seen: ProviderRequests, isBreakerTripped: boolean): ProviderHealth['state'] {
  const { requests, failures } = relevantRequests(seen);
  const share = requests === 0 ? 0 : failures / requests;
  if (share >= DOWN_SHARE && failures >= MIN_FAILURES_OF_DOWN) return 'down';
  if (isBreakerTripped || share >= TROUBLED_SHARE) return 'troubled';
  return requests === 0 ? 'unknown' : 'ok';
}

function relevantRequests(seen: ProviderRequests): { requests: number; failures: number } {
  if (seen.recentRequests === 0) return seen;
  return { requests: seen.recentRequests, failures: seen.recentFailures };
}

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
