import { Injectable, Logger, type OnApplicationBootstrap, Module } from '@nestjs/common';
import { ChannelKeeper } from '#application';
import type { ChannelUpkeep } from '#domain';
import { inSpan, type SpanOptions } from '#platform/telemetry';
import { type Stoppable, QueueDrain } from '../queue-drain.js';
import { RepeatingTask } from '../repeating-task.js';

const PAUSE_MS = 1_000;
const PARALLEL = 10;

/** Several workers may run it: the database leases each calendar to one of them, and to another after a crash. */
@Injectable()
export class ChannelSweep implements OnApplicationBootstrap, Stoppable {
  private readonly logger = new Logger(ChannelSweep.name);
  private readonly running = new Set<Promise<void>>();
  private readonly task = new RepeatingTask(
    'sweep-channels',
    PAUSE_MS,
    (signal) => this.fill(signal),
    (error) => this.logger.warn({ msg: 'channels could not be seen to', err: error }),
  );

  constructor(private readonly keeper: ChannelKeeper) {}

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
    const due = await this.keeper.due(free);
    for (const upkeep of due) this.begin(upkeep, signal);
    return due.length === free;
  }

  private begin(upkeep: ChannelUpkeep, signal: AbortSignal): void {
    const { watchedCalendarId } = upkeep;
    const running = inSpan('channel.keep', traceOf(upkeep), () => this.keeper.keep(upkeep, signal))
      .catch((error: unknown) => {
        this.logger.warn({ msg: 'a channel is seen to later: its lease ends', watchedCalendarId, err: error });
      })
      .finally(() => this.running.delete(running));
    this.running.add(running);
  }
}

function traceOf({ applicationId, accountId, providerType }: ChannelUpkeep): SpanOptions {
  const attributes = {
    'calendar.application.id': applicationId,
    'calendar.account.id': accountId,
    'calendar.provider': providerType,
  };
  return { traceparent: null, attributes };
}

@Module({ providers: [ChannelSweep] })
export class ChannelsModule {
  constructor(drain: QueueDrain, sweep: ChannelSweep) {
    drain.add(sweep);
  }
}
