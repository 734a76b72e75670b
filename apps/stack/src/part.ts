/** A part could not be started; the message names it. */
export class PartFailed extends Error {
  override readonly name = 'PartFailed';
}

/** One thing that the stack keeps running. */
export interface Part {
  readonly name: string;
  /**
   * Resolves when it answers. May be called again after it died.
   * @throws PartFailed when it ended, or does not answer before `signal` aborts
   */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when it has died although nobody stopped it. */
  died(): Promise<void>;
  /** Resolves when it has ended. Safe to call at any time, and twice. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

export interface RestartablePart extends Part {
  /**
   * Ends it, without waiting long for what it is doing, and starts it with the code that there is now.
   * @throws PartFailed as `start` does
   */
  restart(signal: AbortSignal): Promise<void>;
}
