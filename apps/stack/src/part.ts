/** A part failed to start; the message names it. */
export class PartFailed extends Error {
  override readonly name = 'PartFailed';
}

/** A process that the stack keeps running. */
export interface Part {
  readonly name: string;
  /**
   * Resolves when the part is ready. The stack calls it again after the part died.
   * @throws PartFailed when the part ends, or is not ready before `signal` aborts
   */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when the part ends without a call of `stop`. */
  died(): Promise<void>;
  /** Resolves when the part has ended. Idempotent. */
  stop(): Promise<void>;
  kill(): void;
}

export interface RestartablePart extends Part {
  /**
   * Ends the part after a short wait and starts it with the current code.
   * @throws PartFailed like `start`
   */
  restart(signal: AbortSignal): Promise<void>;
}
