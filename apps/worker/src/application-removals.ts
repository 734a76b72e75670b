import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ApplicationRemoval } from '#application';
import { RepeatingTask } from './repeating-task.js';

const PAUSE_MS = 5_000;

@Injectable()
export class ApplicationRemovals implements OnApplicationBootstrap {
  private readonly logger = new Logger(ApplicationRemovals.name);
  private readonly task = new RepeatingTask(
    'remove-applications',
    PAUSE_MS,
    () => this.removal.advance(),
    (error) => this.logger.warn({ msg: 'deleted applications could not be looked for', err: error }),
  );

  constructor(private readonly removal: ApplicationRemoval) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    await this.task.stop();
  }
}
