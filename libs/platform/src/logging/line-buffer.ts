import { pino, type DestinationStream } from 'pino';

/** Where lines go: like pino's own destinations, told when the process may be about to end. */
interface FlushableDestination extends DestinationStream {
  flushSync(): void;
}

/** The longest that a line waits for others. Only a process that is killed loses what it has not yet written. */
export const LINGER_MS = 10;

/** How much may wait, in UTF-16 code units. */
const MOST_WAITING = 16_384;

/**
 * Log lines, handed on together: under load a write for each turn of the event loop, let alone for each line, is a
 * tenth of what a small read costs (a system call, a thread that makes it, and being told that it is done).
 */
export class LineBuffer implements FlushableDestination {
  private lines = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly destination: FlushableDestination) {}

  write(line: string): void {
    this.lines += line;
    if (this.lines.length >= MOST_WAITING) this.handOn();
    else this.timer ??= setTimeout(() => this.handOn(), LINGER_MS);
  }

  /** pino calls this after a fatal line, since the process may not see another turn. */
  flushSync(): void {
    this.handOn();
    this.destination.flushSync();
  }

  private handOn(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.lines === '') return;
    const { lines } = this;
    this.lines = '';
    this.destination.write(lines);
  }
}

let standardOutput: LineBuffer | undefined;

/** The standard output of this process, for all of its loggers. Complete when the process ends by itself. */
export function bufferedStandardOutput(): LineBuffer {
  if (standardOutput === undefined) {
    const buffer = new LineBuffer(pino.destination());
    process.on('exit', () => buffer.flushSync());
    standardOutput = buffer;
  }
  return standardOutput;
}
