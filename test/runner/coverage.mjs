// `npm run coverage [-- --out FILE]`: runs every suite and says which branches of libs, api and worker ran.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../apps/stack/bootstrap.mjs';
import { BranchCoverage } from './branch-coverage.mjs';
import { runJest } from './run-jest.mjs';
import { allSuites, isAlone, isPure, isTimed, needsServer } from './suites.mjs';

const { values } = parseArgs({ options: { out: { type: 'string' }, keep: { type: 'string' } } });
const cores = availableParallelism();
const all = allSuites();
const directory = values.keep ?? mkdtempSync(join(tmpdir(), 'unified-calendar-coverage-'));
const processes = join(directory, 'processes');
mkdirSync(processes, { recursive: true });
process.env.NODE_V8_COVERAGE = processes;
const coverage = new BranchCoverage(ROOT);
const reading = setInterval(() => coverage.addProcesses(processes), 20_000);
for (const [index, [project, paths, workers]] of [
  ['unit', all.filter((path) => isPure(path) && !isAlone(path)), cores],
  ['unit', all.filter(isAlone), 1],
  ['servers', all.filter((path) => needsServer(path) && !isTimed(path)), cores],
  ['servers', all.filter(isTimed), 1],
].entries()) {
  await runJest({
    ...{ project, workers, selection: ['--runTestsByPath', ...paths] },
    output: join(directory, `results-${index}.json`),
    deadlineMs: performance.now() + 60 * 60_000,
  });
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
if (!values.keep) rmSync(directory, { recursive: true, force: true });
