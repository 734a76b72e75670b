import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second for everybody who asks (USER_HZ, proc(5)). */
const TICK_MS = 10;

/** What a process has used of the processor since it began, user and system time of all its threads, milliseconds. */
export function processorTimeMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name stands in parentheses and may hold anything; the fields behind it begin with the third one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
