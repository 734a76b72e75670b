import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { RequestHistoryRepository, type CompletedRequest } from '#domain/system';
import { REQUEST_HISTORY_ENABLED } from '../system/settings.js';

/** Maximum time until a request is written, milliseconds. */
const WRITE_EVERY_MS = 1_000;
const ROWS_OF_A_WRITE = 500;
/** About 3 MB. */
export const MAX_WAITING = 10_000;
/** Share of unauthenticated requests, so that clients without a key cannot fill the log. */
export const MAX_ANONYMOUS = 200;

/** Writes in the background, so that no request waits or fails. Drops and counts rows that the database cannot take. */
@Injectable()
export class RequestHistoryRecorder implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RequestHistoryRecorder.name);
  private waiting: CompletedRequest[] = [];
  private anonymous = 0;
  private missing = 0;
  private cause: unknown;
  private writing: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: RequestHistoryRepository,
    @Inject(REQUEST_HISTORY_ENABLED) readonly isOn: boolean,
  ) {}

  /** Runs outside every request, because log lines carry the context of their request. */
  onApplicationBootstrap(): void {
    if (this.isOn) this.timer = setInterval(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
    this.drop(this.waiting.splice(0).length);
    this.logMissing();
  }

  record(request: CompletedRequest): void {
    const isAnonymous = request.applicationId === null;
    if (this.waiting.length >= MAX_WAITING || (isAnonymous && this.anonymous >= MAX_ANONYMOUS)) {
      this.drop(1);
      return;
    }
    if (isAnonymous) this.anonymous += 1;
    this.waiting.push(request);
  }

  /** Never throws. */
  flush(): Promise<void> {
    this.writing ??= this.write().finally(() => (this.writing = null));
    return this.writing;
  }

  private async write(): Promise<void> {
    const missingBefore = this.missing;
    this.anonymous = 0;
    while (this.waiting.length > 0) {
      const rows = this.waiting.splice(0, ROWS_OF_A_WRITE);
      try {
        await this.log.add(rows);
      } catch (error) {
        // The rows may have been written. A second write could duplicate them.
        this.drop(rows.length);
        this.cause = error;
        return;
      }
    }
    // No row was dropped since the last write, so the problem is over.
    if (this.missing === missingBefore) this.logMissing();
  }

  private drop(count: number): void {
    this.missing += count;
  }

  private logMissing(): void {
    if (this.missing === 0) return;
    this.logger.warn({ msg: 'request history incomplete', missing: this.missing, err: this.cause });
    this.missing = 0;
    this.cause = undefined;
  }
}
