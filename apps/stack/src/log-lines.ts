import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/**
 * Passes a child's output on, line by line: JSON as it is, anything else with the name of who said it.
 * @param heard gets each line as well
 */
export function passLinesOn(from: Readable, name: string, to: Writable, heard?: (line: string) => void): void {
  createInterface({ input: from, crlfDelay: Infinity }).on('line', (line) => {
    heard?.(line);
    to.write(line.startsWith('{') ? `${line}\n` : `[${name}] ${line}\n`);
  });
}
