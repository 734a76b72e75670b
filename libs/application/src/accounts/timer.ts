import { setTimeout as sleep } from 'node:timers/promises';

export abstract class Timer {
  abstract sleep(ms: number): Promise<void>;
}

export class SystemTimer extends Timer {
  override async sleep(ms: number): Promise<void> {
    await sleep(ms);
  }
}
