/**
 * `npm run image:check`: builds the images with the container engine of this machine (Linux: its network is theirs) and
 * runs them as the chart has them run. Says what it saw; the first thing that is not as it has to be ends it with an
 * error.
 *
 *   npm run image:check -- --engine=docker                       instead of podman
 *   npm run image:check -- --build=--build-arg=NODE_IMAGE=…      options for `build`, each its own --build
 *   npm run image:check -- --run=--cgroups=disabled              options for `run`, likewise
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { KeyRing } from '#persistence';
import { createTestDatabase } from '../../support/postgres.js';
import { eventually, freePort } from '../../support/processes.js';
import { startRedis } from '../../support/redis.js';
import { ContainerEngine, type Container } from './container-engine.js';
import { FILES_SCRIPT, type ImageFiles } from './image-files.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const TARGETS = ['api', 'worker', 'ops'] as const;
const OPS = 'dist/apps/ops/src/main.js';
/** `stop_grace_period` of the Compose file, and the chart's. */
const GRACE_SECONDS = 40;
/** Of a process that has nothing to drain. */
const PROMPT_MS = 5_000;

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'podman' },
    build: { type: 'string', multiple: true, default: [] },
    run: { type: 'string', multiple: true, default: [] },
  },
});
const engine = new ContainerEngine({ engine: values.engine, buildOptions: values.build, runOptions: values.run });
const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const compose = parse(await readFile(join(ROOT, 'docker/compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<string, { healthcheck: { test: string[] } }>;
};

const tagOf = (target: string): string => `unified-calendar-${target}:check`;

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  const seen = await work();
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
  console.log(`${what} (${seconds} s)${seen === undefined ? '' : `: ${JSON.stringify(seen)}`}`);
  return seen;
}

async function build(target: string): Promise<object> {
  await engine.build(target, tagOf(target), ROOT);
  const { Config, Size } = await engine.image(tagOf(target));
  assert.equal(Config.User, '10001:10001');
  assert.deepEqual(Config.Entrypoint, ['/usr/local/bin/node']);
  // Node ends on SIGTERM, and engines disagree about what a health check of an image is: Compose and the chart have it.
  assert.match(Config.StopSignal ?? '', /^(SIGTERM|15)?$/);
  assert.deepEqual([Config.Healthcheck ?? null, Config.Volumes ?? null], [null, null]);
  assert.equal(Config.Labels['org.opencontainers.image.version'], manifest.version);
  assert.equal(Config.Labels['org.opencontainers.image.title'], `unified-calendar-${target}`);
  return { megabytes: Math.round(Size / 1e6), command: Config.Cmd.join(' ') };
}

async function files(target: string): Promise<object> {
  const { unwanted, foreign, written, sizes } = JSON.parse(
    await engine.output(tagOf(target), ['--eval', FILES_SCRIPT]),
  ) as ImageFiles;
  assert.deepEqual([unwanted, foreign, written], [[], [], []]);
  return sizes;
}

/** Waits for what a probe asks, with the log of the container in the error. */
async function isReady(container: Container, port: number): Promise<void> {
  await eventually('readiness', async () =>
    (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok ? true : undefined,
  ).catch(async (cause: unknown) => {
    throw new Error(`not ready: ${await container.logs()}`, { cause });
  });
}

/** As the Compose file asks for health, on another port. */
function healthCommand(service: string, port: number): string[] {
  const [, ...command] = compose.services[service]?.healthcheck.test ?? [];
  return command.map((word) => word.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`));
}

interface Stores {
  DATABASE_URL: string;
  REDIS_URL: string;
}

async function serve(stores: Stores): Promise<object> {
  const ports = { api: await freePort(), worker: await freePort() };
  const settings = {
    ...stores,
    HOST: '127.0.0.1',
    PORT: String(ports.api),
    WORKER_HEALTH_PORT: String(ports.worker),
    PUBLIC_URL: 'https://calendar.example.com',
    ENCRYPTION_KEYS: KeyRing.generateEntry('k1'),
    SHUTDOWN_DELAY_MS: '2000',
  };
  const start = async (target: 'api' | 'worker'): Promise<Container> =>
    engine.start(tagOf(target), { ...settings, METRICS_PORT: String(await freePort()) });
  const [api, worker] = [await start('api'), await start('worker')];
  for (const [name, container] of Object.entries({ api, worker })) {
    const port = ports[name as keyof typeof ports];
    await isReady(container, port);
    assert.equal(await container.execute(healthCommand(name, port)), 0);
    assert.notEqual(await container.execute(healthCommand(name, await freePort())), 0);
    const { Uid, Gid, CapEff, CapBnd, NoNewPrivs } = await container.status();
    const nothing = '0000000000000000';
    assert.deepEqual([Uid, Gid, CapEff, CapBnd, NoNewPrivs], ['10001', '10001', nothing, nothing, '1']);
  }
  const asked = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${ports.api}${path}`)).status;
  assert.deepEqual([await asked('/api/v1/endUserAccounts'), await asked('/dashboard/')], [401, 200]);

  const stopping = api.stop(GRACE_SECONDS);
  // While load balancers notice, it says that it is not ready, and answers.
  await eventually('the API drains', async () => ((await asked('/health/ready')) === 503 ? true : undefined));
  assert.equal(await asked('/api/v1/endUserAccounts'), 401);
  const ends = { api: await stopping, worker: await worker.stop(GRACE_SECONDS) };
  for (const [name, { exitCode, tookMs }] of Object.entries(ends)) {
    assert.deepEqual([name, exitCode], [name, 0]);
    assert.ok(tookMs < GRACE_SECONDS * 1_000, `${name} was killed`);
  }
  return ends;
}

/** What is asked to end before there is anything to drain must not have to be killed. */
async function endEarly(stores: Stores): Promise<object> {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const settings = {
    DATABASE_URL: `postgresql://calendar:secret@127.0.0.1:${port}/calendar`,
    REDIS_URL: stores.REDIS_URL,
    PUBLIC_URL: 'https://calendar.example.com',
    ENCRYPTION_KEYS: KeyRing.generateEntry('k1'),
  };
  const seen: Record<string, unknown> = {};
  for (const [target, command] of [
    ['api', []],
    ['worker', []],
    ['ops', [OPS, 'migrate']],
  ] as [string, string[]][]) {
    const connected = once(silent, 'connection');
    const container = await engine.start(tagOf(target), settings, command);
    await connected;
    const end = await container.stop(GRACE_SECONDS);
    seen[target] = end;
    assert.ok(end.tookMs < PROMPT_MS, `${target} took ${end.tookMs} ms: ${await container.logs()}`);
    assert.equal(end.exitCode, 143);
  }
  silent.close();
  return seen;
}

for (const target of TARGETS) await step(`built ${target}`, () => build(target));
for (const target of TARGETS) await step(`files of ${target}, megabytes`, () => files(target));
const [database, redis] = [await createTestDatabase({ migrated: false }), await startRedis()];
const stores = { DATABASE_URL: database.url, REDIS_URL: redis.url };
try {
  await step('commands', async () => {
    assert.match(await engine.output(tagOf('ops'), []), /migrate/);
  });
  await step('migrated', async () => {
    const migration = await engine.start(tagOf('api'), { DATABASE_URL: stores.DATABASE_URL }, [
      OPS,
      'migrate',
      '--json',
    ]);
    assert.equal(await migration.ended(), 0, await migration.logs());
    return { applied: (JSON.parse(await migration.logs()) as { applied: string[] }).applied.length };
  });
  await step('served, drained and ended', () => serve(stores));
  await step('ended before anything was there to drain', () => endEarly(stores));
} finally {
  await engine.clear();
  await redis.stop();
  await database.drop();
}
console.log('The images are as they have to be.');
process.exit(0);
