// 35 s: PostgreSQL is initialised, killed and recovered several times.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedPostgres } from '../../apps/stack/src/postgres/embedded-postgres.js';
import { compileLibs, type CompiledLibs } from '../support/compiled-libs.js';
import { asAdmin } from '../support/postgres.js';

let libs: CompiledLibs;
let directory: string;
const started: EmbeddedPostgres[] = [];

beforeAll(async () => {
  libs = await compileLibs(['apps/stack/src/postgres']);
});

afterAll(() => libs.remove());

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'embedded-'));
});

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
  await rm(directory, { recursive: true, force: true });
});

function embedded(options: { onExit?: (reason: string) => void } = {}): EmbeddedPostgres {
  const server = new EmbeddedPostgres({ directory, settings: ['fsync=off'], ...options });
  started.push(server);
  return server;
}

async function write(url: string): Promise<void> {
  await asAdmin(url, (client) => client.query('create table kept as select 42 as answer'));
}

async function expectKept(url: string): Promise<void> {
  await asAdmin(url, async (client) => {
    expect((await client.query('select answer from kept')).rows).toEqual([{ answer: 42 }]);
    const { rows } = await client.query('select rolsuper from pg_roles where rolname = current_user');
    expect(rows).toEqual([{ rolsuper: false }]);
    expect((await client.query("select lower('ÄÉ') as lower")).rows).toEqual([{ lower: 'äé' }]);
  });
}

/** A process that starts the server, uses it, and is killed. */
async function startAndDie(): Promise<{ serverPid: number }> {
  const script = join(libs.directory, 'embedded.mjs');
  await writeFile(
    script,
    `import { EmbeddedPostgres } from './dist/apps/stack/src/postgres/embedded-postgres.js';
     import pg from 'pg';
     const server = new EmbeddedPostgres({ directory: process.argv[2], settings: ['fsync=off'] });
     const { url } = await server.start();
     const client = new pg.Client({ connectionString: url });
     await client.connect();
     await client.query('create table kept as select 42 as answer');
     console.log(server.pid);
     setInterval(() => undefined, 1000);`,
  );
  const child = spawn(process.execPath, [script, directory], {
    cwd: libs.directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const serverPid = await new Promise<number>((done) =>
    child.stdout.once('data', (data: Buffer) => done(Number(data.toString()))),
  );
  child.kill('SIGKILL');
  await new Promise((done) => child.once('exit', done));
  return { serverPid };
}

/** A dead process may stay in the process table when nobody collects orphans; it has no command line any more. */
async function runs(pid: number): Promise<boolean> {
  return readFile(`/proc/${pid}/cmdline`, 'utf8').then(
    (command) => command !== '',
    () => false,
  );
}

describe('embedded PostgreSQL', () => {
  it('keeps its data over an orderly stop and start, and shows no secret to other users', async () => {
    const first = embedded();
    const { url } = await first.start();
    await write(url);
    await first.stop();
    expect(await first.stop()).toBeUndefined();
    expect((await stat(join(directory, 'password'))).mode & 0o077).toBe(0);
    await expectKept((await embedded().start()).url);
  });

  it('recovers from a killed run: the orphaned server is stopped, its data are there', async () => {
    const { serverPid } = await startAndDie();
    expect(await runs(serverPid)).toBe(true);
    await expectKept((await embedded().start()).url);
    expect(await runs(serverPid)).toBe(false);
  });

  it('recovers from a killed run and a killed, or frozen, server', async () => {
    const { serverPid } = await startAndDie();
    process.kill(serverPid, 'SIGKILL');
    const second = embedded();
    await expectKept((await second.start()).url);
    process.kill(second.pid as number, 'SIGSTOP');
    await expectKept((await embedded().start()).url);
  });

  it('tells when the server ends by itself, but not when it was stopped', async () => {
    const reasons: string[] = [];
    const server = embedded({ onExit: (reason) => reasons.push(reason) });
    await server.start();
    await server.stop();
    expect(reasons).toEqual([]);
    await server.start();
    process.kill(server.pid as number, 'SIGKILL');
    await new Promise((done) => setTimeout(done, 300));
    expect(reasons).toEqual([expect.stringContaining('SIGKILL')]);
    await expect(server.start()).resolves.toBeDefined();
  });

  it('refuses a directory that another living process uses', async () => {
    const server = embedded();
    await server.start();
    await writeFile(join(directory, 'owner.pid'), String(process.ppid));
    await expect(embedded().start()).rejects.toThrow(`in use by process ${process.ppid}`);
  });

  it('starts over after an initialisation that was cut off', async () => {
    const cluster = join(directory, 'cluster');
    await writeFile(join(directory, 'password'), 'x'.repeat(32));
    await mkdir(join(cluster, 'base'), { recursive: true });
    await expect(embedded().start()).resolves.toMatchObject({ port: expect.any(Number) });
  });
});
