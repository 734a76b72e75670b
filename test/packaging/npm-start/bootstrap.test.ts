import { copyFile, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runProgram, temporaryDirectory } from '../../support/processes.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const BUILD = ['nest build', 'vite build apps/dashboard'];

/** A checkout in miniature around the real bootstrap.mjs, whose npm and compiler only write down that they ran. */
describe('bootstrap', () => {
  let tree: { path: string; remove(): Promise<void> };
  const at = (...path: string[]): string => join(tree.path, ...path);

  async function write(path: string, text: string, ageMs = 60_000): Promise<void> {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
    const time = new Date(Date.now() - ageMs);
    await utimes(at(path), time, time);
    // A file that appears or goes changes its directory too.
    await utimes(dirname(at(path)), time, time);
  }

  const lock = (version: string): string =>
    JSON.stringify({
      packages: { '': {}, 'node_modules/a': { version }, 'node_modules/b': { version, optional: true } },
    });

  beforeEach(async () => {
    tree = await temporaryDirectory('bootstrap');
    await write('apps/stack/bootstrap.mjs', '');
    await copyFile(join(ROOT, 'apps/stack/bootstrap.mjs'), at('apps/stack/bootstrap.mjs'));
    for (const name of ['package.json', 'nest-cli.json', 'tsconfig.json']) await write(name, '{}');
    await write('package-lock.json', lock('1.0.0'));
    await write('apps/api/src/main.ts', 'api');
    await write('libs/domain/src/index.ts', 'domain');
    await write('node_modules/node/package.json', JSON.stringify({ version: process.versions.node, bin: 'bin/node' }));
    await mkdir(at('node_modules/node/bin'), { recursive: true });
    await symlink(process.execPath, at('node_modules/node/bin/node'));
    await write(
      'node_modules/@nestjs/cli/bin/nest.js',
      `const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
       appendFileSync('ran.log', 'nest ' + process.argv[2] + '\\n');
       if (existsSync('broken')) process.exit(1);
       mkdirSync('dist/apps/api/src', { recursive: true });
       writeFileSync('dist/apps/api/src/main.js', '');`,
    );
    await write(
      'node_modules/vite/bin/vite.js',
      `const { appendFileSync } = require('node:fs');
       appendFileSync('ran.log', 'vite ' + process.argv.slice(2, 4).join(' ') + '\\n');`,
    );
    await write(
      'npm.js',
      `const { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
       appendFileSync('ran.log', 'npm ' + process.argv[2] + '\\n');
       if (process.argv[2] === 'ci' && existsSync('packaged')) rmSync('node_modules/node/bin', { recursive: true });
       const asked = existsSync('npm-asked.json') ? JSON.parse(readFileSync('npm-asked.json', 'utf8')).asked : [];
       writeFileSync('npm-asked.json', JSON.stringify({ asked: [...asked, process.argv.slice(2)] }));`,
    );
    const time = new Date(Date.now() - 60_000);
    for (const path of ['apps', 'apps/api', 'apps/stack', 'apps/stack/bootstrap.mjs', 'libs', 'libs/domain']) {
      await utimes(at(path), time, time);
    }
  });
  afterEach(() => tree.remove());

  /** @returns what ran because of it, and the exit code */
  async function run(
    call: 'ensureInstalled' | 'ensureBuilt' | 'recordBuild',
    node = process.execPath,
  ): Promise<{ ran: string[]; exitCode: unknown }> {
    await rm(at('ran.log'), { force: true });
    const program = runProgram(
      node,
      [
        ...['--input-type=module', '--eval'],
        `import { ${call}, fail } from ${JSON.stringify(at('apps/stack/bootstrap.mjs'))};
         try { ${call}(Date.now()); } catch (error) { fail(error); }`,
      ],
      {
        cwd: tree.path,
        env: { PATH: process.env.PATH, npm_execpath: at('npm.js'), npm_node_execpath: process.execPath },
      },
    );
    const exitCode = await program.exited;
    const log = await readFile(at('ran.log'), 'utf8').catch(() => '');
    return { ran: log.split('\n').filter((line) => line !== ''), exitCode };
  }

  it('installs once, and again when package-lock.json has changed', async () => {
    expect(await run('ensureInstalled')).toEqual({ ran: ['npm ci'], exitCode: 0 });
    expect(await run('ensureInstalled')).toEqual({ ran: [], exitCode: 0 });
    await write('package-lock.json', lock('1.0.1'));
    expect(await run('ensureInstalled')).toEqual({ ran: ['npm ci'], exitCode: 0 });
  });

  it('runs no script of a package but of those that are installed and allowed by name', async () => {
    await write('package.json', JSON.stringify({ allowScripts: { node: true, gone: true, '@other/package': false } }));
    await write('node_modules/@other/package/package.json', '{}');
    expect(await run('ensureInstalled')).toEqual({ ran: ['npm ci', 'npm rebuild'], exitCode: 0 });
    const { asked } = JSON.parse(await readFile(at('npm-asked.json'), 'utf8'));
    expect(asked).toEqual([
      expect.arrayContaining(['ci', '--ignore-scripts']),
      ['rebuild', 'node', '--ignore-scripts=false', '--loglevel=error'],
    ]);
  });

  it('goes on when `npm ci` has removed the pinned Node that it runs on', async () => {
    await write('package.json', JSON.stringify({ allowScripts: { node: true } }));
    await write('packaged', '');
    await rm(at('node_modules/node/bin/node'));
    await copyFile(process.execPath, at('node_modules/node/bin/node'));
    expect(await run('ensureInstalled', at('node_modules/node/bin/node'))).toEqual({
      ran: ['npm ci', 'npm rebuild'],
      exitCode: 0,
    });
  });

  it('fetches the pinned Node where an installation ended before it', async () => {
    await write('package.json', JSON.stringify({ allowScripts: { node: true } }));
    await write(
      'node_modules/.package-lock.json',
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }),
    );
    await write('node_modules/node/package.json', JSON.stringify({ version: '0.0.1', bin: 'bin/gone' }));
    expect((await run('ensureInstalled')).ran).toEqual(['npm rebuild']);
    expect((await run('ensureInstalled')).ran).toEqual([]);
  });

  it('believes what npm itself wrote down about an installation by hand', async () => {
    await write(
      'node_modules/.package-lock.json',
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }),
    );
    expect((await run('ensureInstalled')).ran).toEqual([]);
    await write('package-lock.json', lock('1.0.1'));
    expect((await run('ensureInstalled')).ran).toEqual(['npm ci']);
  });

  it('builds once, and again when a source is newer', async () => {
    expect(await run('ensureBuilt')).toEqual({ ran: BUILD, exitCode: 0 });
    expect((await run('ensureBuilt')).ran).toEqual([]);
    await write('libs/domain/src/index.ts', 'changed', -1_000);
    expect((await run('ensureBuilt')).ran).toEqual(BUILD);
  });

  it('does not build for the sake of a test', async () => {
    await write('libs/domain/src/index.spec.ts', 'test');
    await run('ensureBuilt');
    await writeFile(at('libs/domain/src/index.spec.ts'), 'changed');
    expect((await run('ensureBuilt')).ran).toEqual([]);
  });

  it('builds when a source is gone, and removes what was built from it', async () => {
    await write('libs/domain/src/old.ts', 'old');
    await run('ensureBuilt');
    await write('dist/libs/domain/src/old.js', '');
    await write('dist/libs/domain/src/old.js.map', '');
    await write('dist/apps/api/src/assets/copied.js', 'somebody else made it');
    await rm(at('libs/domain/src/old.ts'));
    await utimes(at('libs/domain/src'), new Date(), new Date(Date.now() + 1_000));
    expect((await run('ensureBuilt')).ran).toEqual(BUILD);
    await expect(readFile(at('dist/libs/domain/src/old.js'))).rejects.toThrow(/ENOENT/);
    expect(await readFile(at('dist/apps/api/src/main.js'), 'utf8')).toBe('');
    expect(await readFile(at('dist/apps/api/src/assets/copied.js'), 'utf8')).toBe('somebody else made it');
  });

  it('does not build what was compiled meanwhile', async () => {
    await write('apps/dashboard/index.html', '');
    await run('ensureBuilt');
    await write('libs/domain/src/index.ts', 'changed', 0);
    expect(await run('recordBuild')).toEqual({ ran: [], exitCode: 0 });
    expect((await run('ensureBuilt')).ran).toEqual([]);
  });

  it('builds after a change of the dashboard, whatever was compiled meanwhile', async () => {
    await write('apps/dashboard/index.html', '');
    await run('ensureBuilt');
    await write('apps/dashboard/index.html', 'changed', 0);
    await run('recordBuild');
    expect((await run('ensureBuilt')).ran).toEqual(BUILD);
  });

  it('does not take a build that failed for one', async () => {
    await write('broken', '');
    expect(await run('ensureBuilt')).toEqual({ ran: ['nest build'], exitCode: 1 });
    await rm(at('broken'));
    expect(await run('ensureBuilt')).toEqual({ ran: BUILD, exitCode: 0 });
  });
});
