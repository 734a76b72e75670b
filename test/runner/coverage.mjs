// `npm run coverage [-- [--out FILE] [<part of a path> …]]`: reports the branches of libs, api and worker that ran in
// `npm test`, then together with `npm run test:resilience`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../apps/stack/bootstrap.mjs';
import { BranchCoverage } from './branch-coverage.mjs';

const { values: options, positionals: filters } = parseArgs({
  options: { out: { type: 'string' } },
  allowPositionals: true,
});
const processes = mkdtempSync(join(tmpdir(), 'unified-calendar-coverage-'));
const coverage = new BranchCoverage(ROOT);
for (const [title, ...args] of filters.length > 0
  ? [['the named suites', ...filters]]
  : [['npm test'], ['npm test and npm run test:resilience', '--resilience']]) {
  await run(args);
  report(title);
}
rmSync(processes, { recursive: true, force: true });

async function run(args) {
  const suites = spawn(process.execPath, [join(ROOT, 'test/runner/run.mjs'), ...args], {
    stdio: 'inherit',
    env: { ...process.env, NODE_V8_COVERAGE: processes },
  });
  // Each process writes tens of megabytes when it ends.
  const reading = setInterval(() => coverage.addProcesses(processes), 20_000);
  const [code, signal] = await once(suites, 'exit');
  clearInterval(reading);
  if (signal !== null) console.log(`The run was ended by ${signal}: its coverage is not whole.`);
  else if (code !== 0) console.log('Suites failed: what they did not reach is missing.');
  // Includes processes that ended in the last two seconds.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  coverage.addProcesses(processes);
}

function report(title) {
  const files = coverage.files();
  console.log(`\nBranches that ran in ${title}`);
  const folders = Map.groupBy(files, ({ path }) => path.split('/').slice(0, 2).join('/'));
  for (const [name, of] of [...folders, ['all', files]]) {
    const branches = of.reduce((sum, { lines }) => sum + lines.length, 0);
    const ran = of.reduce((sum, file) => sum + file.ran.length, 0);
    const share = ((100 * ran) / branches).toFixed(2);
    console.log(`${name.padEnd(24)} ${String(ran).padStart(6)} of ${String(branches).padStart(6)}  ${share} %`);
  }
  if (options.out) writeFileSync(options.out, JSON.stringify(files));
}
