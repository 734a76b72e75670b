import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { RequestLogRepository, type AnsweredRequest } from '#domain';
import { RECORDS_REQUESTS } from '../settings.js';

/** How long a row waits to be written, milliseconds. */
const WRITE_EVERY_MS = 1_000;
const ROWS_OF_A_WRITE = 500;
/** Rows that wait, some 3 MB. */
export const MOST_WAITING = 10_000;
/** Of them those of nobody that we know: who has no key must not fill the log. */
export const MOST_ANONYMOUS = 200;

/**
 * Writes the request log, beside the requests: no request waits for it, and none fails over it. What the database cannot
 * take is left out, and counted.
 */
@Injectable()
export class RequestRecorder implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RequestRecorder.name);
  private waiting: AnsweredRequest[] = [];
  private anonymous = 0;
  private missing = 0;
  private cause: unknown;
  private writing: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;

  /** @param isOn whether requests are recorded at all */
  constructor(
    private readonly log: RequestLogRepository,
    @Inject(RECORDS_REQUESTS) readonly isOn: boolean,
  ) {}

  /** Outside of every request, whose context its lines in the log would carry. */
  onApplicationBootstrap(): void {
    if (this.isOn) this.timer = setInterval(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  /** After the last answer, and before the database is let go. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
    this.leaveOut(this.waiting.splice(0).length);
    this.tellMissing();
  }

  /** Costs no more than keeping it. */
  record(request: AnsweredRequest): void {
    const isAnonymous = request.applicationId === null;
    if (this.waiting.length >= MOST_WAITING || (isAnonymous && this.anonymous >= MOST_ANONYMOUS)) {
      this.leaveOut(1);
      return;
    }
    if (isAnonymous) this.anonymous += 1;
    this.waiting.push(request);
  }

  /** Writes what waits. Never throws. */
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
        // Whether they were written is not known: a second time they might be there twice.
        this.leaveOut(rows.length);
        this.cause = error;
        return;
      }
    }
    // Everything that came since the last time found its place: what was wrong is over.
    if (this.missing === missingBefore) this.tellMissing();
  }

  private leaveOut(count: number): void {
    this.missing += count;
  }

  private tellMissing(): void {
    if (this.missing === 0) return;
    this.logger.warn({ msg: 'requests are missing in the request log', missing: this.missing, err: this.cause });
    this.missing = 0;
    this.cause = undefined;
  }
}
