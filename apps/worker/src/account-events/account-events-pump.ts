import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { AccountEventRelay } from '#domain';
import { accountMessage } from '#webhooks';
import type { Stoppable } from '../queue-drain.js';
import { RepeatingTask } from '../repeating-task.js';

const PAUSE_MS = 1_000;
const RELAYED_AT_ONCE = 100;

/**
 * Turns what happened to accounts into messages. Every worker does it, one at a time: what the outbox holds keeps its
 * order, and is told although the process that wrote it died.
 */
@Injectable()
export class AccountEventsPump implements OnApplicationBootstrap, Stoppable {
  private readonly logger = new Logger(AccountEventsPump.name);
  private readonly task = new RepeatingTask(
    'relay-account-events',
    PAUSE_MS,
    () => this.relay(),
    (error) => this.logger.warn({ msg: 'account events are told later', err: error }),
  );

  /** @param told called after events that may have become messages */
  constructor(
    private readonly events: AccountEventRelay,
    private readonly told: () => void,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    await this.task.stop();
  }

  private async relay(): Promise<boolean> {
    const count = await this.events.relay(RELAYED_AT_ONCE, accountMessage);
    if (count > 0) this.told();
    return count === RELAYED_AT_ONCE;
  }
}
