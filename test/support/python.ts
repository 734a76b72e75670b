import { runProgram, type RunningProgram } from './processes.js';

/** A program of Python's standard library alone. @param args what it finds behind its name */
export function runPython(program: string, args: string[], cwd: string): RunningProgram {
  return runProgram('python3', ['-B', '-u', '-c', program, ...args], { cwd, env: { PATH: process.env.PATH } });
}
