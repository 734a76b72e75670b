import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A program of this folder, as a process of its own: what it uses is not ours. */
export function startProgram(name: string, args: string[] = []): ChildProcess {
  return fork(join(import.meta.dirname, name), args, {
    execArgv: ['--import', join(import.meta.dirname, '..', 'runner', 'load-typescript.mjs')],
  });
}

/** The next thing that a program says. */
export async function printed<T>(program: ChildProcess): Promise<T> {
  const [message] = (await once(program, 'message')) as [T];
  return message;
}
