import { Injectable, Logger, type OnApplicationBootstrap, Module } from '@nestjs/common';
import { ChannelReconciler } from '#application/channels';
import type { ClaimedReconciliation } from '#domain/channels';
import { inSpan, type SpanOptions } from '#platform/telemetry';
import { type Drainable, GracefulShutdown } from '../graceful-shutdown.js';
import { PeriodicTask } from '../periodic-task.js';

const PAUSE_MS = 1_000;
const PARALLEL = 10;

/** Several workers may run it: the database leases each calendar to one of them, and to another after a crash. */
@Injectable()
export class ChannelReconcileTask implements OnApplicationBootstrap, Drainable {
  private readonly logger = new Logger(ChannelReconcileTask.name);
  private readonly running = new Set<Promise<void>>();
  private readonly task = new PeriodicTask(
    'reconcile_channels',
    PAUSE_MS,
    (signal) => this.fill(signal),
    (error) => this.logger.warn({ msg: 'channel reconciliation could not start', err: error }),
  );

  constructor(private readonly reconciler: ChannelReconciler) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    await this.task.stop();
    await Promise.all(this.running);
  }

  /** Claims no more than can start at once, so that a slow provider delays no other calendar. */
  private async fill(signal: AbortSignal): Promise<boolean> {
    if (this.running.size === PARALLEL) await Promise.race(this.running);
    const free = PARALLEL - this.running.size;
    const due = await this.reconciler.due(free);
    for (const reconciliation of due) this.begin(reconciliation, signal);
    return due.length === free;
  }

  private begin(reconciliation: ClaimedReconciliation, signal: AbortSignal): void {
    const { syncedCalendarId } = reconciliation;
    const running = inSpan('channel.reconcile', traceOf(reconciliation), () =>
      this.reconciler.reconcile(reconciliation, signal),
    )
      .catch((error: unknown) => {
        this.logger.warn({ msg: 'channel reconciliation deferred until its lease ends', syncedCalendarId, err: error });
      })
      .finally(() => this.running.delete(running));
    this.running.add(running);
  }
}

function traceOf({ applicationId, accountId, providerType }: ClaimedReconciliation): SpanOptions {
  const attributes = {
    'calendar.application.id': applicationId,
    'calendar.account.id': accountId,
    'calendar.provider': providerType,
  };
  return { traceparent: null, attributes };
}

@Module({ providers: [ChannelReconcileTask] })
export class ChannelsModule {
  constructor(drain: GracefulShutdown, reconcileDue: ChannelReconcileTask) {
    drain.add(reconcileDue);
  }
}
