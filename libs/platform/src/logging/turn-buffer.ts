import { pino, type DestinationStream } from 'pino';

/** Where lines go: like pino's own destinations, told when the process may be about to end. */
interface FlushableDestination extends DestinationStream {
  flushSync(): void;
}

/**
 * Log lines, handed on once for each turn of the event loop: under load one turn answers many requests, and a write for
 * each of their lines is a good part of what a small read costs. A line waits for nothing but the turn that it was
 * written in.
 */
export class TurnBuffer implements FlushableDestination {
  private lines = '';

  constructor(private readonly destination: FlushableDestination) {}

  write(line: string): void {
    if (this.lines === '') setImmediate(() => this.handOn());
    this.lines += line;
  }

  /** pino calls this after a fatal line, since the process may not see another turn. */
  flushSync(): void {
    this.handOn();
    this.destination.flushSync();
  }

  private handOn(): void {
    if (this.lines === '') return;
    const { lines } = this;
    this.lines = '';
    this.destination.write(lines);
  }
}

let standardOutput: TurnBuffer | undefined;

/** The standard output of this process, for all of its loggers. Complete when the process ends by itself. */
export function bufferedStandardOutput(): TurnBuffer {
  if (standardOutput === undefined) {
    const buffer = new TurnBuffer(pino.destination());
    process.on('exit', () => buffer.flushSync());
    standardOutput = buffer;
  }
  return standardOutput;
}
