import type { ProviderType } from '#domain/accounts';
import { API_KEY_SCOPES } from '#domain/applications';
import { API_NODE_ARGUMENTS } from '../../apps/stack/src/api-node-arguments.js';
import { KeyRing } from '../../libs/persistence/src/encryption/field-cipher.js';
import { CommandLine } from './command-line.js';
import { assertDocumented } from './documented-answers.js';
import { entryPoint, NODE, ROOT } from './entry-points.js';
import { Operator } from './operator.js';
import { KeptProcess } from './kept-process.js';
import { eventually, freePort, runProgram, startServer, type RunningProgram } from './processes.js';
import { createTestDatabase, type TestDatabase } from './postgres.js';
import { joinSandbox } from './sandbox.js';

/** Benchmarks call the service, too. */
const IS_TEST = process.env['JEST_WORKER_ID'] !== undefined;
/** Several of them on a busy machine start slowly. */
const START_TIMEOUT_MS = 90_000;

/** An answer of the service, body parsed. */
export interface Answer<T = any> {
  status: number;
  headers: Headers;
  body: T;
}

export interface CallOptions {
  key?: string | null;
  body?: unknown;
  query?: Record<string, string | number | boolean | undefined>;
  headers?: Record<string, string>;
}

/** The api app, built, as a process on a database. */
export interface Service {
  readonly baseUrl: string;
  readonly env: NodeJS.ProcessEnv;
  /** The service's database, for a superuser who sees every row. */
  readonly adminDatabaseUrl: string;
  readonly program: RunningProgram;
  /** Of the first application. */
  readonly applicationId: string;
  readonly apiKey: string;
  /** `path` below `/api`, e.g. `/v1/endUserAccounts`. Uses the first application's key unless told otherwise. */
  call<T = any>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
  /** Another application with a key of its own. `rateLimitRps`: requests a second, instead of the service's limit. */
  createApplication(name: string, rateLimitRps?: number): Promise<{ applicationId: string; apiKey: string }>;
  /** The client with which the first application connects accounts. */
  setOAuthClient(client: { providerType: ProviderType; clientId: string; clientSecret: string }): Promise<void>;
  /** Runs an operator command with the environment of the service. */
  ops<T = any>(...args: string[]): Promise<T>;
  stop(): Promise<void>;
}

/** Of the service that suites share: limits that none of them is about are out of the way. */
const SHARED_SETTINGS: NodeJS.ProcessEnv = {
  EGRESS_ALLOW: '127.0.0.0/8',
  RATE_LIMIT_RPS: '100000',
  GOOGLE_REQUESTS_PER_MINUTE: '100000',
  MICROSOFT_REQUESTS_PER_MINUTE: '100000',
};

/** Settings of a service that is to be under load, and judges overload as the product does by default. */
export const AS_DELIVERED: NodeJS.ProcessEnv = { OVERLOAD_TARGET_DELAY_MS: undefined };

/**
 * Starts a service of its own: for suites that configure, stop or kill it, have a worker beside it or count what is in its
 * database. All others {@link joinService}.
 * @param settings environment on top of what it needs
 * @param root where it was built, which migrates its database then; by default here
 */
export async function startService(settings: NodeJS.ProcessEnv = {}, root = ROOT): Promise<Service> {
  const database = await createTestDatabase({ migrated: root === ROOT });
  const env = await environmentOf(database, settings);
  if (root !== ROOT) await runOps(env, root, 'migrate');
  const operator = Operator.start(env, root);
  let program: RunningProgram | undefined;
  try {
    const creating = createApplication(operator, 'first');
    creating.catch(() => undefined); // told below
    const api = await startApi(env, root);
    program = api.program;
    return {
      ...serviceOf(env, api, operator, await creating, root),
      adminDatabaseUrl: database.adminUrl,
      async stop() {
        await Promise.all([api.program.stop(), operator.stop()]);
        await database.drop();
      },
    };
  } catch (error) {
    await Promise.all([program?.stop(1_000), operator.stop()]);
    await database.drop();
    throw error;
  }
}

/**
 * The service that all suites of one worker of Jest share, with a new application of the caller's: what one application does
 * is nothing to the others. It reaches every server on loopback and the sandbox that {@link joinSandbox} gives.
 */
export async function joinService(): Promise<Service> {
  const sandbox = await joinSandbox();
  shared ??= environmentOfShared(sandbox.env);
  const { env, adminDatabaseUrl } = await shared;
  const { baseUrl, command, isReady } = apiOf(env, ROOT);
  const kept = KeptProcess.start('api', command, env);
  await eventually('the shared api is ready', async () => ((await isReady()) ? true : undefined), {
    timeoutMs: START_TIMEOUT_MS,
  }).catch((error: Error) => {
    throw new Error(`${error.message}\n${kept.stdout()}${kept.stderr()}`, { cause: error });
  });
  const operator = Operator.start(env);
  const api = { baseUrl, program: kept.program() };
  const first = await createApplication(operator, 'first');
  return { ...serviceOf(env, api, operator, first, ROOT), adminDatabaseUrl, stop: () => Promise.resolve() };
}

let shared: ReturnType<typeof environmentOfShared> | undefined;

async function environmentOfShared(settings: NodeJS.ProcessEnv) {
  const database = await createTestDatabase();
  const env = await environmentOf(database, { ...settings, ...SHARED_SETTINGS });
  return { env, adminDatabaseUrl: database.adminUrl };
}

async function environmentOf(database: TestDatabase, settings: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const port = await freePort();
  const { PATH, HOME, LANG } = process.env;
  return {
    PATH,
    HOME,
    LANG,
    NODE_ENV: 'development',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS: KeyRing.generateEntry('test'),
    LOG_LEVEL: 'info',
    CALDAV_REQUESTS_PER_MINUTE: '100000',
    SHUTDOWN_DELAY_MS: '0',
    // Many suites share a machine: who is late there has not too much to do.
    OVERLOAD_TARGET_DELAY_MS: '0',
    METRICS_PORT: 'off',
    ...settings,
  };
}

async function runOps<T>(env: NodeJS.ProcessEnv, root: string, ...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await commandOf(env, root, [...args, '--json']);
  if (exitCode !== 0) throw new Error(`ops ${args.join(' ')} ended with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

async function commandOf(env: NodeJS.ProcessEnv, root: string, args: string[]) {
  if (root === ROOT) return CommandLine.start().run(env, ...args);
  const program = runProgram(NODE, [entryPoint('ops', root), ...args], { cwd: root, env });
  return { exitCode: await program.exited, stdout: program.stdout(), stderr: program.stderr() };
}

async function createApplication(operator: Operator, name: string, rateLimitRps: number | null = null) {
  const created = await operator.call<{ applicationId: string }>('applications', 'create', { name, rateLimitRps });
  const { applicationId } = created;
  // Of the scopes that one gets without asking, and tokens, which some suites read.
  const key = { applicationId, name: 'test', expires: 'never', scopes: [...API_KEY_SCOPES] };
  const { apiKey } = await operator.call<{ apiKey: string }>('apiKeys', 'create', key);
  return { applicationId, apiKey };
}

function serviceOf(
  env: NodeJS.ProcessEnv,
  api: Pick<Service, 'baseUrl' | 'program'>,
  operator: Operator,
  first: Pick<Service, 'applicationId' | 'apiKey'>,
  root: string,
): Omit<Service, 'adminDatabaseUrl' | 'stop'> {
  return {
    ...api,
    env,
    ...first,
    createApplication: (name, rateLimitRps) => createApplication(operator, name, rateLimitRps),
    ops: (...args) => runOps(env, root, ...args),
    call: (method, path, options = {}) => callService(api.baseUrl, first.apiKey, method, path, options),
    async setOAuthClient(client) {
      await operator.call('oauthClients', 'set', { applicationId: first.applicationId, ...client });
    },
  };
}

/**
 * One process of the api app; `env` holds all that it needs, `PORT` included.
 * @param root where it was built
 */
export async function startApi(
  env: NodeJS.ProcessEnv,
  root = ROOT,
): Promise<{ baseUrl: string; program: RunningProgram }> {
  const { baseUrl, command, isReady } = apiOf(env, root);
  const [program, ...args] = command;
  const start = () => runProgram(program, args, { cwd: root, env });
  return { baseUrl, program: await startServer('the api', start, isReady, START_TIMEOUT_MS) };
}

function apiOf(env: NodeJS.ProcessEnv, root: string) {
  const baseUrl = `http://127.0.0.1:${env['PORT']}`;
  const command: [string, ...string[]] = [NODE, ...API_NODE_ARGUMENTS, entryPoint('api', root)];
  return { baseUrl, command, isReady: async () => (await fetch(`${baseUrl}/health/ready`)).status === 200 };
}

/** One more api with that environment, on a port of its own. @param root where it was built; by default here */
export async function startAnotherApi(env: NodeJS.ProcessEnv, root?: string): ReturnType<typeof startApi> {
  return startApi({ ...env, PORT: String(await freePort()) }, root);
}

/** One request to an api at `baseUrl`. `defaultKey` is sent unless the options say otherwise. */
export async function callService<T>(
  baseUrl: string,
  defaultKey: string,
  method: string,
  path: string,
  { key = defaultKey, body, query = {}, headers = {} }: CallOptions,
): Promise<Answer<T>> {
  const url = new URL(`${baseUrl}/api${path}`);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.append(name, String(value));
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== null && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not JSON: the test sees the text.
  }
  const answer = { status: response.status, headers: response.headers, body: parsed as T };
  if (IS_TEST) assertDocumented(method, url.pathname, answer);
  return answer;
}
