import { turns } from './turns.js';

/** Of one turn of the event loop, milliseconds, for work that goes on over many. */
const SHARE_MS = 1;

/**
 * Cuts long work into pieces: {@link step} between two of its steps lets the loop turn whenever they have taken their share
 * of one. How long others wait is a share and the longest step.
 */
export class Pace {
  private endsAtMs = performance.now() + SHARE_MS;

  /** Resolves at once as long as there is time left. */
  async step(): Promise<void> {
    if (performance.now() < this.endsAtMs) return;
    await turns.next(true);
    this.endsAtMs = performance.now() + SHARE_MS;
  }
}
