import { Injectable, Logger, type OnApplicationBootstrap, Module } from '@nestjs/common';
import { ChannelKeeper } from '#application';
import type { ChannelUpkeep } from '#domain';
import { inSpan, type SpanOptions } from '#platform/telemetry';
import { type Stoppable, QueueDrain } from '../queue-drain.js';
import { RepeatingTask } from '../repeating-task.js';

const PAUSE_MS = 1_000;
/** Calendars whose providers are asked at the same time. */
const PARALLEL = 10;

/**
 * Sees after the push channels of calendars, whenever they are due. Any number of workers do this side by side: the
 * database gives each calendar to one of them, and to another one when that has died.
 */
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

  /** What is under way is given back. */
  async stop(): Promise<void> {
    await this.task.stop();
    await Promise.all(this.running);
  }

  /** Takes no more than can begin at once: who waits for a slow provider holds up nobody else. */
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

/** Nobody asked for it. */
function traceOf({ applicationId, accountId, providerType }: ChannelUpkeep): SpanOptions {
  const attributes = {
    'calendar.application.id': applicationId,
    'calendar.account.id': accountId,
    'calendar.provider': providerType,
  };
  return { traceparent: null, attributes };
}

/** Push channels at the providers, kept by comparing what is wanted with what there is. */
@Module({ providers: [ChannelSweep] })
export class ChannelsModule {
  constructor(drain: QueueDrain, sweep: ChannelSweep) {
    drain.add(sweep);
  }
}
