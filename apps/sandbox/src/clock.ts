/** The time of the sandbox: the machine's, moved by whoever tests what days bring. */
export class SandboxClock {
  /** Milliseconds that it is ahead of the machine's. */
  offsetMs = 0;

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }

  advance(ms: number): void {
    this.offsetMs += ms;
  }

  /** @param epochMs what {@link nowMs} says from now on */
  set(epochMs: number): void {
    this.offsetMs = epochMs - Date.now();
  }
}
