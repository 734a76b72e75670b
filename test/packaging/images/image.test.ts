// 110 s: an image is built, and its three processes start in it.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { API_NODE_ARGUMENTS } from '../../../apps/stack/src/api-node-arguments.js';
import { KeyRing } from '../../../libs/persistence/src/encryption/field-cipher.js';
import { reducedCheck } from '../../support/reduced-check.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { promtool } from '../../support/prometheus.js';
import { statusOf } from '../../support/process-tree.js';
import { eventually, freePort, temporaryDirectory, type RunningProgram } from '../../support/processes.js';
import {
  BuiltImage,
  filesBelow,
  imageSources,
  instructionsOf,
  lastOf,
  textOf,
  sizeOf,
  type ImageSources,
} from './built-image.js';
import { canEnter, runContained } from './container.js';
import { GO_BUILD_TIMEOUT_MS } from '../chart/go-tools.js';
import { UNWANTED_PACKAGES } from './image-files.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DOCKER = join(ROOT, 'docker');
const TARGETS = ['api', 'worker', 'ops'];
const NO_MOUNT = 'nothing can be mounted here';

let sources: ImageSources;
let manifest: { version: string; devDependencies: Record<string, string> };

beforeAll(async () => {
  sources = await imageSources();
  manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
}, GO_BUILD_TIMEOUT_MS);

describe('docker/Dockerfile', () => {
  it("passes BuildKit's linter", () => {
    expect(sources.warnings).toEqual([]);
  });

  it('is built on the Node that the service is tested with', () => {
    expect(sources.arguments.NODE_IMAGE).toBe(`node:${manifest.devDependencies.node}-trixie-slim`);
    const bases = sources.stages
      .map(({ base }) => base)
      .filter((base) => !sources.stages.some(({ name }) => name === base));
    expect(new Set(bases)).toEqual(new Set(['${NODE_IMAGE}']));
  });

  it.each(TARGETS)('N66 runs %s as a user that is a number, without a shell', (target) => {
    const instructions = instructionsOf(sources, target);
    expect(lastOf(instructions, 'USER')?.arguments).toEqual(['10001:10001']);
    for (const name of ['ENTRYPOINT', 'CMD'])
      expect(lastOf(instructions, name)).toMatchObject({ arguments: expect.any(Array) });
    const afterUser = instructions.slice(instructions.findLastIndex(({ name }) => name === 'USER'));
    expect(afterUser.filter(({ name, isShell }) => name === 'RUN' || isShell)).toEqual([]);
  });

  it.each(TARGETS)('labels %s, with the version of the package', (target) => {
    const labels = Object.assign(
      {},
      ...instructionsOf(sources, target).map(({ name, values }) => (name === 'LABEL' ? values : {})),
    );
    expect(labels).toMatchObject({
      'org.opencontainers.image.title': `unified-calendar-${target}`,
      'org.opencontainers.image.licenses': 'MIT',
      'org.opencontainers.image.version': '${VERSION}',
    });
    const version = instructionsOf(sources, target).find(
      ({ name, values }) => name === 'ARG' && values?.VERSION !== undefined,
    );
    expect(version?.values?.VERSION).toBe(manifest.version);
  });

  it("starts the API with the API's arguments of Node", () => {
    expect(lastOf(instructionsOf(sources, 'api'), 'CMD')?.arguments).toEqual([
      ...API_NODE_ARGUMENTS,
      'dist/apps/api/src/main.js',
    ]);
  });

  it.each(TARGETS)('keeps the arenas of the C library few in %s', (target) => {
    const variables = instructionsOf(sources, target).filter(({ name }) => name === 'ENV');
    expect(Object.assign({}, ...variables.map(({ values }) => values))).toMatchObject({ MALLOC_ARENA_MAX: '2' });
  });

  it('installs what the lockfile says, without scripts', () => {
    const commands = sources.stages.flatMap(({ instructions }) => instructions).filter(({ name }) => name === 'RUN');
    const texts = commands.map(textOf);
    expect(texts.filter((text) => text.includes('npm'))).toEqual([
      'npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund',
      'npm ci --ignore-scripts --no-audit --no-fund',
      expect.stringMatching(/^rm -rf /),
    ]);
  });
});

describe('.dockerignore', () => {
  it('leaves what is compiled, and nothing else', () => {
    const roots = new Set(sources.context.map((path) => path.split('/')[0]));
    expect([...roots].sort()).toEqual(
      [
        'LICENSE',
        'apps',
        'docker',
        'libs',
        'nest-cli.json',
        'package-lock.json',
        'package.json',
        'tsconfig.json',
      ].sort(),
    );
    expect(sources.context.filter((path) => path.startsWith('docker/'))).toEqual(['docker/ops']);
    expect(sources.context.filter((path) => /\.spec\.ts$|\.env|\.data/.test(path))).toEqual([]);
  });
});

describe('docker/compose.yaml', () => {
  const services = (): [string, any][] => Object.entries(sources.compose.services);

  it('hardens every service', () => {
    const names = services().map(([name]) => name);
    const monitoring = ['collector', 'grafana', 'prometheus'];
    expect(names.sort()).toEqual(['api', 'migrate', 'postgres', 'redis', 'worker', ...monitoring].sort());
    for (const [, service] of services()) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    }
  });

  it('opens the API, and on demand what monitors it, on this machine alone', () => {
    const opened = services().flatMap(([name, { ports = [] }]) => ports.map((port: string) => [name, port]));
    const here = expect.stringMatching(/^127\.0\.0\.1:/);
    expect(Object.fromEntries(opened)).toEqual({ api: here, grafana: here, collector: here });
    for (const [name, { profiles = [] }] of services()) {
      expect([name, profiles]).toEqual([name, /^(collector|grafana|prometheus)$/.test(name) ? ['monitoring'] : []]);
    }
  });

  it('starts the service when the schema is there, and ships no secret', () => {
    const { api, worker, migrate } = sources.compose.services;
    for (const { depends_on } of [api, worker]) {
      expect(depends_on).toMatchObject({
        migrate: { condition: 'service_completed_successfully' },
        redis: { condition: 'service_healthy' },
      });
    }
    expect(migrate.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    for (const [, { environment = {} }] of services()) {
      for (const [name, value] of Object.entries<string>(environment)) {
        if (/KEYS|SECRET$|PASSWORD$|DATABASE_URL/.test(name)) expect(value).toContain('${');
      }
    }
  });

  it('takes every other setting from a file, which need not be there', async () => {
    const { api, worker, migrate } = sources.compose.services;
    for (const { env_file: files, environment } of [api, worker, migrate]) {
      expect(files).toEqual([{ path: expect.stringMatching(/settings\.env$/), required: false }]);
      // What stands in `environment` would win over the file.
      expect(Object.keys(environment).sort()).toEqual(['DATABASE_URL', 'ENCRYPTION_KEYS', 'PUBLIC_URL', 'REDIS_URL']);
    }
    const example = await readFile(join(DOCKER, 'settings.env.example'), 'utf8');
    const listed = [...example.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
    expect(listed).toContainEqual(['TRUST_PROXY', '0']);
    expect(listed.map(([name]) => name)).toEqual(expect.arrayContaining(['OPERATOR_URL', 'GOOGLE_CLIENT_SECRET']));
    expect(example.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });

  it('has Prometheus and Grafana find what they read', async () => {
    const mounts = services().flatMap(([, { volumes = [] }]) => volumes.map(String));
    const files = mounts.flatMap((mount) => /^(\.{1,2}\/[^:]+):/.exec(mount)?.[1] ?? []);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect([file, existsSync(join(DOCKER, file))]).toEqual([file, true]);
    const directory = await temporaryDirectory('compose');
    try {
      const config = join(directory.path, 'prometheus.yaml');
      const rules = join(DOCKER, '../helm/unified-calendar/rules');
      const text = await readFile(join(DOCKER, 'monitoring/prometheus.yaml'), 'utf8');
      await writeFile(config, text.replace('/etc/prometheus/rules', rules));
      expect(await promtool('check', 'config', config)).toMatchObject({ exitCode: 0 });
    } finally {
      await directory.remove();
    }
    const grafana = parse(await readFile(join(DOCKER, 'monitoring/grafana-datasources.yaml'), 'utf8'));
    expect(grafana.datasources.map(({ uid }: { uid: string }) => uid)).toEqual(['prometheus', 'traces']);
  });

  it('kills nothing that still drains', () => {
    for (const name of ['api', 'worker']) expect(sources.compose.services[name].stop_grace_period).toBe('40s');
  });
});

describe('the files of the images', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let database: TestDatabase;
  let image: BuiltImage;
  const programs: RunningProgram[] = [];

  beforeAll(async () => {
    directory = await temporaryDirectory('image');
    await chmod(directory.path, 0o755);
    image = new BuiltImage(sources, directory.path);
    database = await createTestDatabase({ migrated: false });
    await Promise.all(TARGETS.map((target) => image.stage(target)));
  });

  afterAll(async () => {
    await Promise.all(programs.map((program) => program.stop(1_000)));
    await database?.drop();
    await directory?.remove();
  });

  /** A program of a target, with the image's own command unless told otherwise. */
  async function run(target: string, settings: NodeJS.ProcessEnv, command?: string[]): Promise<RunningProgram> {
    const instructions = instructionsOf(sources, target);
    const entrypoint = lastOf(instructions, 'ENTRYPOINT')?.arguments ?? [];
    const user = lastOf(instructions, 'USER')?.arguments?.[0] ?? '';
    const args = command ?? lastOf(instructions, 'CMD')?.arguments ?? [];
    const fixed = Object.assign({}, ...instructions.map(({ name, values }) => (name === 'ENV' ? values : {})));
    const program = await runContained(await image.stage(target), user, [...entrypoint, ...args], {
      ...fixed,
      DATABASE_URL: database.url,
      ...settings,
    });
    programs.push(program);
    return program;
  }

  it('hold no development, no test, no source map of packages and no native code', async () => {
    for (const target of ['api', 'worker']) {
      const root = await image.stage(target);
      const found = await filesBelow(
        join(root, 'app/node_modules'),
        new RegExp(`^(${UNWANTED_PACKAGES.join('|')})$|\\.node$`),
      );
      expect(found).toEqual([]);
      expect(await filesBelow(join(root, 'app/dist'), /\.(spec|test)\.js$/)).toEqual([]);
      expect(await filesBelow(join(root, 'app/node_modules'), /\.map$/)).toEqual([]);
      expect(await filesBelow(join(root, 'app'), /\.([cm]?ts|tsbuildinfo)$/)).toEqual([]);
    }
    expect(await sizeOf(join(await image.stage('worker'), 'app'))).toBeLessThan(60 * 2 ** 20);
  });

  it('name lines of our own sources in traces, when they are asked to', async () => {
    // Where the files cannot be entered as a root, they are below the directory of the stage.
    const root = canEnter ? '' : await image.stage('worker');
    const load = `
      import('${root}/app/dist/libs/platform/src/config/load-config.js').then(({ loadConfig }) => {
        try { loadConfig([], { PORT: 'x' }); } catch (error) { console.log(error.stack); }
      })`;
    const traceOf = async (options: string[]) => {
      const program = await run('worker', {}, [...options, '-e', load]);
      expect(await program.exited).toBe(0);
      return program.stdout();
    };
    expect(await traceOf(['--enable-source-maps'])).toMatch(/load-config\.ts:\d+:\d+/);
    expect(await traceOf([])).toMatch(/load-config\.js:\d+:\d+/);
  });

  it.each(['ops', 'api'])('have the commands of operators under one word in %s', async (target) => {
    const root = await image.stage(target);
    const command = join(root, 'usr/local/bin/ops');
    expect((await stat(command)).mode & 0o111).toBe(0o111);
    const [, entryPoint = ''] = /import\('\/(.+)'\)/.exec(await readFile(command, 'utf8')) ?? [];
    expect((await stat(join(root, entryPoint))).isFile()).toBe(true);
  });

  it('N66 migrate, serve, work and stop, read-only and as their own user', async () => {
    const migrations = await Promise.all(
      [1, 2].map(() => run('api', {}, ['dist/apps/ops/src/main.js', 'migrate', '--json'])),
    );
    expect(await Promise.all(migrations.map(({ exited }) => exited))).toEqual([0, 0]);
    const applied = migrations.map((one) => (JSON.parse(one.stdout()) as { applied: string[] }).applied.length);
    expect(applied.sort((a, b) => a - b)).toEqual([0, expect.any(Number)]);
    expect(applied[1]).toBeGreaterThan(0);

    const [apiPort, workerPort] = [await freePort(), await freePort()];
    const settings = {
      HOST: '127.0.0.1',
      PORT: String(apiPort),
      WORKER_HEALTH_PORT: String(workerPort),
      PUBLIC_URL: 'https://calendar.example.com',
      ENCRYPTION_KEYS: KeyRing.generateEntry('k1'),
      SHUTDOWN_DELAY_MS: '0',
    };
    const api = await run('api', { ...settings, METRICS_PORT: String(await freePort()) });
    const worker = await run('worker', { ...settings, METRICS_PORT: String(await freePort()) });
    for (const [port, program] of [
      [apiPort, api],
      [workerPort, worker],
    ] as const) {
      await eventually(`readiness on ${port}: ${program.stdout()}${program.stderr()}`, async () =>
        (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok ? true : undefined,
      );
    }
    const rejected = await fetch(`http://127.0.0.1:${apiPort}/api/v1/endUserAccounts`);
    expect(rejected.status).toBe(401);
    const page = await fetch(`http://127.0.0.1:${apiPort}/dashboard/`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script')]);
    for (const path of ['/api/docs', '/api/docs/scalar.js', '/api/openapi.json']) {
      expect((await fetch(`http://127.0.0.1:${apiPort}${path}`)).status).toBe(200);
    }
    if (!canEnter) reducedCheck('N66 images run read-only and as their own user', NO_MOUNT);
    else expect(statusOf(api.pid)).toMatchObject({ Uid: '10001', CapEff: '0000000000000000' });

    expect(await Promise.all([api.stop(30_000), worker.stop(30_000)])).toEqual([0, 0]);
  });

  it.each([
    ['api', undefined],
    ['worker', undefined],
    ['ops', ['dist/apps/ops/src/main.js', 'migrate']],
  ])('%s ends when it is asked to, though it still waits for a database', async (target, command) => {
    const silent = createServer().listen(0, '127.0.0.1');
    try {
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const connected = once(silent, 'connection');
      const settings = {
        DATABASE_URL: `postgresql://calendar:secret@127.0.0.1:${port}/calendar`,
        PUBLIC_URL: 'https://calendar.example.com',
        ENCRYPTION_KEYS: KeyRing.generateEntry('k1'),
      };
      const program = await run(target, settings, command);
      await connected;
      // 128 and the number of SIGTERM. A process that ignores it is killed after this time.
      expect(await program.stop(30_000)).toBe(143);
    } finally {
      silent.close();
    }
  });

  it.each(['api', 'worker'])('%s can write nowhere', async (target) => {
    if (!canEnter) return reducedCheck(`${target} of an image can write nowhere`, NO_MOUNT);
    const tried = ['/', '/app', '/usr/local/bin', '/etc'];
    const script = `
      const { writeFileSync } = require('node:fs');
      const written = ${JSON.stringify(tried)}.filter((path) => {
        try { writeFileSync(path + '/written', ''); return true; } catch { return false; }
      });
      console.log(JSON.stringify(written));`;
    const program = await run(target, {}, ['-e', script]);
    expect(await program.exited).toBe(0);
    expect(JSON.parse(program.stdout())).toEqual([]);
  });
});
