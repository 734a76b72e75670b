import { runProgram } from './processes.js';

/** @returns exit code and everything that was printed */
export async function promtool(
  ...arguments_: string[]
): Promise<{ exitCode: number | NodeJS.Signals; output: string }> {
  const program = runProgram('promtool', arguments_, { env: { PATH: process.env['PATH'] } });
  const exitCode = await program.exited;
  return { exitCode, output: program.stdout() + program.stderr() };
}
