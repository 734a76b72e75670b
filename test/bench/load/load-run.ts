import { join } from 'node:path';
import { runProgram } from '../../support/processes.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

export interface LoadRun<T> {
  exitCode: number | NodeJS.Signals;
  seen: T;
  /** What it says is not as it has to be. */
  wrong: string[];
}

/** `npm run load` with these options, as a process of its own. @throws Error with what it wrote when that is no result */
export async function runLoad<T>(...options: string[]): Promise<LoadRun<T>> {
  const loader = join(ROOT, 'test/runner/load-typescript.mjs');
  const program = runProgram(process.execPath, ['--import', loader, join(ROOT, 'test/bench/load/run.ts'), ...options], {
    cwd: ROOT,
  });
  const exitCode = await program.exited;
  const wrong = [...program.stderr().matchAll(/^NOT AS IT HAS TO BE: (.*)$/gm)].map(([, each = '']) => each);
  try {
    return { exitCode, wrong, seen: JSON.parse(program.stdout()) as T };
  } catch (error) {
    throw new Error(`it ended with ${exitCode}: ${program.stdout()}${program.stderr()}`, { cause: error });
  }
}
