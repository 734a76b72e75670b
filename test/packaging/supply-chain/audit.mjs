// npm run audit: asks the registry for advisories about the production dependencies. Exit codes: audit-verdict.mjs.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { verdictOf } from './audit-verdict.mjs';

const root = join(import.meta.dirname, '..', '..', '..');
const run = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: root,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
});
const { code, text } = verdictOf(run.stdout ?? '');
console.log(text);
process.exitCode = code;
