import { readdirSync, readFileSync } from 'node:fs';

/** A process id and those of all its descendants (proc(5), so Linux only). */
export function processTree(root: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(Number(name));
    if (parent !== null) childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(childrenOf.get(pid) ?? []));
  return tree;
}

export function isAlive(pid: number): boolean {
  return parentOf(pid) !== null;
}

/** null when there is no such process, or it is a zombie. */
function parentOf(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : Number(parent);
  } catch {
    return null; // it ended while we were looking
  }
}

/** What /proc/<pid>/status says, by name: the first word of each line. */
export function statusOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8')
    .split('\n')
    .map((line) => line.split(/:?\s+/));
  return Object.fromEntries(lines.map(([name = '', value = '']) => [name, value]));
}
