import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import type { RequestObserver } from '#domain/providers';
import { RequestLedgerRepository, type RequestCount } from '#domain/usage';
import { counter } from '#platform/telemetry';

const sent = counter('calendar_provider_requests_total');

const WRITE_EVERY_MS = 10_000;

/** Counts the requests that this process sends to providers, and writes the sums every ten seconds. */
@Injectable()
export class RequestLedger implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RequestLedger.name);
  /** By application. */
  private counts = new Map<string, Map<string, RequestCount>>();
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

  observer(
    { applicationId }: ApplicationRef,
    of: Omit<RequestCount, 'requests'>,
    accepted: () => unknown = () => undefined,
  ): RequestObserver {
    return {
      sent: (requests) => {
        sent.add(requests, { provider: of.providerType, cause: of.cause });
        this.keep(applicationId, { ...of, requests });
      },
      accepted: () => void accepted(),
    };
  }

  /** Never throws. Counts that could not be written are kept for the next time. */
  async write(): Promise<void> {
    this.writing = this.writing.then(async () => {
      const written = this.counts;
      this.counts = new Map();
      for (const [applicationId, counts] of written) {
        try {
          await this.ledger.add({ applicationId }, [...counts.values()]);
        } catch (error) {
          for (const count of counts.values()) this.keep(applicationId, count);
          this.logger.warn({ msg: 'request counts could not be written', applicationId, err: error });
        }
      }
    });
    await this.writing;
  }

  private keep(applicationId: string, count: RequestCount): void {
    const counts = this.counts.get(applicationId) ?? new Map<string, RequestCount>();
    this.counts.set(applicationId, counts);
    const key = `${count.providerType} ${count.project} ${count.cause}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { ...count });
    else known.requests += count.requests;
  }
}
