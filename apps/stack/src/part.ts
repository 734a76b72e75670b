export class PartFailed extends Error {
  override readonly name = 'PartFailed';
}

export interface Part {
  readonly name: string;
  /**
   * Resolves when the part is ready.
   * @throws PartFailed when the part ends, or is not ready before `signal` aborts
   */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when the part ends without a call of `stop`. */
  died(): Promise<void>;
  /** Idempotent. */
  stop(): Promise<void>;
  kill(): void;
}

export interface RestartablePart extends Part {
  /** @throws PartFailed like `start` */
  restart(signal: AbortSignal): Promise<void>;
}
