import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../support/processes.js';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'operations', 'disaster-recovery.md'), 'utf8');

/** The commands of the page behind `<!-- name -->`. @throws Error when there are none */
export function documented(name: string): string {
  const [, commands] = new RegExp(`^<!-- ${name} -->\\n\\n\`\`\`sh\\n([^]*?)^\`\`\`$`, 'm').exec(PAGE) ?? [];
  if (commands === undefined) throw new Error(`docs/operations/disaster-recovery.md has no commands "${name}"`);
  return commands;
}

/** Runs them as an operator does. @returns what they printed @throws Error with what they complained of */
export function runDocumented(name: string, env: NodeJS.ProcessEnv): Promise<string> {
  return run(`"${name}"`, documented(name), env);
}

/** The same with one command of the operator's, as the page names it: `api-key revoke --id …`. */
export function runOps(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  return run(command, `node dist/apps/ops/src/main.js ${command}`, env);
}

async function run(name: string, script: string, env: NodeJS.ProcessEnv): Promise<string> {
  const PATH = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`;
  const shell = runProgram('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: ROOT, env: { ...env, PATH } });
  const exitCode = await shell.exited;
  if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}: ${shell.stdout()}${shell.stderr()}`);
  return shell.stdout();
}
