import { Logger } from '@nestjs/common';
import { withDeadline } from '#platform/deadline';

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
