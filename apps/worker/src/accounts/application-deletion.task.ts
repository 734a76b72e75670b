import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ApplicationDeletion } from '#application/applications';
import { PeriodicTask } from '../periodic-task.js';

const PAUSE_MS = 5_000;

@Injectable()
export class ApplicationDeletionTask implements OnApplicationBootstrap {
  private readonly logger = new Logger(ApplicationDeletionTask.name);
  private readonly task = new PeriodicTask(
    'delete_applications',
    PAUSE_MS,
    () => this.removal.advance(),
    (error) => this.logger.warn({ msg: 'application deletions could not be claimed', err: error }),
  );

  constructor(private readonly removal: ApplicationDeletion) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    await this.task.stop();
  }
}
