// `npm run coverage [-- --out FILE]`: runs every suite and says which branches of libs, api and worker ran.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../apps/stack/bootstrap.mjs';
import { BranchCoverage } from './branch-coverage.mjs';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const processes = mkdtempSync(join(tmpdir(), 'unified-calendar-coverage-'));
const coverage = new BranchCoverage(ROOT);
const reading = setInterval(() => coverage.addProcesses(processes), 20_000);
for (const args of [[], ['--resilience']]) {
  const run = spawn(process.execPath, [join(ROOT, 'test/runner/run.mjs'), ...args], {
    stdio: 'inherit',
    env: { ...process.env, NODE_V8_COVERAGE: processes },
  });
  await once(run, 'exit');
}
clearInterval(reading);
await new Promise((resolve) => setTimeout(resolve, 3_000));
coverage.addProcesses(processes);

const files = coverage.files();
const rooms = Map.groupBy(files, ({ path }) => path.split('/').slice(0, 2).join('/'));
const row = (name, of) => {
  const branches = of.reduce((sum, { lines }) => sum + lines.length, 0);
  const ran = of.reduce((sum, file) => sum + file.ran.length, 0);
  console.log(
    `${name.padEnd(24)} ${String(ran).padStart(6)} of ${String(branches).padStart(6)}  ${((100 * ran) / branches).toFixed(2)} %`,
  );
};
for (const [name, of] of rooms) row(name, of);
row('all', files);
if (values.out) writeFileSync(values.out, JSON.stringify(files));
rmSync(processes, { recursive: true, force: true });
