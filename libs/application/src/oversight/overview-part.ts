import { Logger } from '@nestjs/common';
import { withDeadline } from '#platform/deadline';

export interface OverviewPartOptions {
  /** How long a value is cached, milliseconds. */
  keptMs?: number;
  /** Longest wait, milliseconds. */
  deadlineMs?: number;
  monotonicMs?: () => number;
}

/** Sections are read separately, so that a slow or failing one does not affect the others. */
export class OverviewPart<T> {
  private readonly logger = new Logger(OverviewPart.name);
  private readonly keptMs: number;
  private readonly deadlineMs: number;
  private readonly monotonicMs: () => number;
  private kept: { value: T; untilMs: number } | null = null;
  private reading: Promise<T> | null = null;
  private isAway = false;

  constructor(
    private readonly name: string,
    private readonly readAnew: () => Promise<T>,
    { keptMs = 2_000, deadlineMs = 3_000, monotonicMs = () => performance.now() }: OverviewPartOptions = {},
  ) {
    this.keptMs = keptMs;
    this.deadlineMs = deadlineMs;
    this.monotonicMs = monotonicMs;
  }

  /** Returns null when the value cannot be read in time. Runs one read at a time. */
  async read(): Promise<T | null> {
    if (this.kept !== null && this.monotonicMs() < this.kept.untilMs) return this.kept.value;
    this.reading ??= this.begin();
    try {
      const value = await withDeadline(this.reading, this.deadlineMs, () => {
        throw new PartLate(`no answer within ${this.deadlineMs} ms`);
      });
      this.isAway = false;
      return value;
    } catch (error) {
      if (!this.isAway) this.logger.warn({ msg: 'a part of the overview cannot be read', part: this.name, err: error });
      this.isAway = true;
      return null;
    }
  }

  private async begin(): Promise<T> {
    try {
      const value = await this.readAnew();
      this.kept = { value, untilMs: this.monotonicMs() + this.keptMs };
      return value;
    } finally {
      this.reading = null;
    }
  }
}

class PartLate extends Error {
  override readonly name = 'PartLate';
}
