import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { RequestObserver } from '#domain/providers';
import { RequestLedgerRepository, type RequestCount } from '#domain/usage';
import { counter } from '#platform/telemetry';

const sent = counter('calendar_provider_requests_total');

const WRITE_EVERY_MS = 10_000;

/** Counts the requests that this process sends to providers, and writes the sums every ten seconds. */
@Injectable()
export class RequestLedger implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RequestLedger.name);
  private counts = new Map<string, RequestCount>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly ledger: RequestLedgerRepository) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.write(), WRITE_EVERY_MS);
    this.timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }

  observer(of: Omit<RequestCount, 'requests'>, accepted: () => unknown = () => undefined): RequestObserver {
    return { sent: (requests) => this.add({ ...of, requests }), accepted: () => void accepted() };
  }

  /** Never throws. Counts that could not be written are kept for the next time. */
  async write(): Promise<void> {
    this.writing = this.writing.then(async () => {
      const counts = [...this.counts.values()];
      this.counts = new Map();
      try {
        await this.ledger.add(counts);
      } catch (error) {
        for (const count of counts) this.keep(count);
        this.logger.warn({ msg: 'request counts could not be written', err: error });
      }
    });
    await this.writing;
  }

  private add(count: RequestCount): void {
    sent.add(count.requests, { provider: count.providerType, cause: count.cause });
    this.keep(count);
  }

  private keep(count: RequestCount): void {
    const { applicationId, providerType, project, cause } = count;
    const key = `${applicationId} ${providerType} ${project} ${cause}`;
    const known = this.counts.get(key);
    if (known === undefined) this.counts.set(key, { ...count });
    else known.requests += count.requests;
  }
}
