import { execFile } from 'node:child_process';
import { appendFile, cp, glob, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { MIGRATION_NAMES } from '../../libs/persistence/src/migrations/names.js';
import { runProgram } from './processes.js';
import { transpiled } from './transpiled.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const MIGRATIONS = 'dist/libs/persistence/src/migrations';

/** A migration that only that build knows. */
export interface AddedMigration {
  name: string;
  statements: string[];
}

/**
 * A copy of what is built here, as a later version would be: with more migrations. Its programs are below
 * `<directory>/dist` as ours are below ours.
 */
export async function makeLaterBuild(directory: string, migrations: AddedMigration[]): Promise<void> {
  await cp(join(ROOT, 'dist'), join(directory, 'dist'), {
    recursive: true,
    filter: (path) => basename(path) !== '.compile-cache',
  });
  await cp(join(ROOT, 'package.json'), join(directory, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'), 'dir');
  for (const { name, statements } of migrations) {
    await appendFile(join(directory, MIGRATIONS, 'names.js'), `\nMIGRATION_NAMES.push(${JSON.stringify(name)});\n`);
    await appendFile(
      join(directory, MIGRATIONS, 'index.js'),
      `
import { Migration as Base_${name} } from '@mikro-orm/migrations';
MIGRATIONS.push({
  name: ${JSON.stringify(name)},
  class: class ${name} extends Base_${name} {
    up() {
      for (const statement of ${JSON.stringify(statements)}) this.addSql(statement);
    }
  },
});
`,
    );
  }
}

/**
 * What was built of the last commit that did not know the newest migration.
 * @returns false when the history does not go back to it, or that commit has another first migration: no database can
 * be taken from one to the other
 */
export async function makeEarlierBuild(directory: string): Promise<boolean> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: ROOT })).stdout.trim();
  const newest = await git(
    'log',
    '-1',
    '--format=%H',
    '--diff-filter=A',
    '--',
    'libs/persistence/src/migrations/Migration*',
  );
  const commit = await git('rev-parse', '--verify', '--quiet', `${newest}^`).catch(() => null);
  if (newest === '' || commit === null) return false;
  const first = `libs/persistence/src/migrations/${MIGRATION_NAMES[0]}.ts`;
  if ((await git('ls-tree', '--name-only', commit, first)) === '') return false;
  await mkdir(directory, { recursive: true });
  const archive = join(directory, 'earlier.tar');
  await git('archive', '--output', archive, commit);
  await run('tar', ['-xf', archive, '-C', directory]);
  const [ours, theirs] = await Promise.all([ROOT, directory].map(installedToRun));
  if (isDeepStrictEqual(ours, theirs))
    await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'), 'dir');
  else await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory });
  await compile(directory);
  return true;
}

/** The packages that the programs of a version need, as its package-lock.json has them. */
async function installedToRun(root: string): Promise<[string, unknown][]> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(packages).filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional);
}

/** Its checks passed when it was made: what is left is to take the types out, where each program looks for its modules. */
async function compile(directory: string): Promise<void> {
  for await (const file of glob('{libs,apps/{api,worker,ops,sandbox,stack}}/**/*.ts', { cwd: directory })) {
    if (/\.(?:spec|test|d)\.ts$|\/testing\//.test(file)) continue;
    const built = join(directory, 'dist', file.replace(/\.ts$/, '.js'));
    await mkdir(dirname(built), { recursive: true });
    await writeFile(built, transpiled(await readFile(join(directory, file), 'utf8'), file));
  }
}

/** How `ops migrate` of a build ended: with the names of what it applied, or with what it said. */
export interface Migrated {
  exitCode: unknown;
  applied?: string[];
  said: string;
}

/** @param build directory of it @param env of the service */
export async function migrate(build: string, env: NodeJS.ProcessEnv): Promise<Migrated> {
  const ops = runProgram(process.execPath, [join(build, 'dist/apps/ops/src/main.js'), 'migrate', '--json'], {
    cwd: build,
    env,
  });
  const exitCode = await ops.exited;
  return { exitCode, said: ops.stderr(), ...(exitCode === 0 && { applied: JSON.parse(ops.stdout()).applied }) };
}
