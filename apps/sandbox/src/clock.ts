/** The time of the sandbox: the machine's, plus an offset that tests set. */
export class SandboxClock {
  /** Milliseconds ahead of the machine's clock. */
  offsetMs = 0;

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }

  advance(ms: number): void {
    this.offsetMs += ms;
  }

  set(epochMs: number): void {
    this.offsetMs = epochMs - Date.now();
  }
}
