import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isRunning, kill, type DataDirectory } from '#platform/local-stack';
import { OAUTH_PROVIDERS } from '#providers';
import { API_NODE_ARGUMENTS } from './api-node-arguments.js';
import { ChildPart } from './child-part.js';
import { DatabasePart } from './database-part.js';
import { childEnvironment, readSettings, sandboxEnvironment, sandboxUrls, type StackSettings } from './environment.js';
import { requireFreePort } from './port.js';
import { freePort } from './postgres/free-port.js';
import { ensureDemo, type Demo } from './demo.js';
import { keepAlive, PartSupervisor, SUPERVISION, type SupervisionOptions } from './supervisor.js';

export interface StartedStack {
  baseUrl: string;
  /** null when an operator has created applications. */
  demo: Demo | null;
  /** null without a sandbox. */
  signInUrls: Record<string, string> | null;
  /** Creates the first operator; null when one exists, or when {@link setupCommand} is set. */
  setupLink: string | null;
  /** Command that creates such a link in production; null when an operator exists. */
  setupCommand: string | null;
}

/** Limit for the start of one part, with a cold disk and a busy machine. */
const START_WITHIN_MS = 60_000;
/** Above the shutdown limit of the children, so that an orderly exit is never cut short. */
const CHILD_STOPS_WITHIN_MS = 40_000;
/** Several times as long as a process of the service buffers its log. */
const LINGERING_LINES_MS = 400;
const LINE_POLL_MS = 20;
const EXIT_WITH_PARENT = new URL('./exit-with-parent.js', import.meta.url).href;
/** Stays uncompiled: it needs TypeScript, which production does not install. */
const COMPILER = new URL('../../../../apps/stack/compile-changes.mjs', import.meta.url);

interface NewCode {
  /** Those of api, worker and sandbox that use the code. */
  processes: string[];
  /** Source paths relative to the root. */
  files: string[];
  /** Milliseconds since the epoch. */
  detectedAtMs: number;
}

export class Stack {
  private readonly stopping = new AbortController();
  private starting: Promise<unknown> = Promise.resolve();
  private database: DatabasePart | undefined;
  private children: ChildPart[] = [];
  private readonly supervision: SupervisionOptions;
  private supervisors = new Map<string, PartSupervisor>();
  private setupLink: string | null = null;
  private setupCommand: string | null = null;
  /** Until then the state file belongs to another stack. */
  private isPublished = false;

  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly data: DataDirectory,
    private readonly report: (message: string) => void,
    private readonly isWatching: boolean,
  ) {
    this.supervision = { ...SUPERVISION, report };
  }

  /**
   * Requires a later call of `stop`, even after a failure.
   * @throws AlreadyRunning, PortTaken, ConfigError, or the error that kept a part from starting
   */
  start(): Promise<StartedStack> {
    const started = this.bringUp();
    this.starting = started;
    return started;
  }

  /** Resolves once `stop` is called. @throws PartLost */
  async supervise(): Promise<void> {
    const kept = [...this.supervisors.values()].map((supervisor) => supervisor.keep());
    if (this.database !== undefined) kept.push(keepAlive(this.database, this.supervision, this.stopping.signal));
    await Promise.all(kept);
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('the stack is being stopped'));
    await Promise.allSettled([this.starting]);
    await Promise.all(this.children.map((child) => child.stop()));
    await this.database?.stop();
    if (this.isPublished) this.data.withdraw();
  }

  /** Kills the children, so that a pending `stop` ends at once. */
  kill(): void {
    for (const child of this.children) child.kill();
  }

  private async bringUp(): Promise<StartedStack> {
    this.data.create();
    await this.endLeftovers();
    const settings = await readSettings(this.env, this.data);
    await requireFreePort(settings.port, settings.host);
    // Loading this module takes as long as starting the database.
    const [{ bringUpToDate }, databaseUrl] = await Promise.all([
      import('./prepare-database.js'),
      settings.databaseUrl ?? this.startDatabase(),
    ]);
    this.stopping.signal.throwIfAborted();
    await bringUpToDate(databaseUrl);
    this.stopping.signal.throwIfAborted();
    const [demo] = await Promise.all([
      ensureDemo(
        { ...this.env, DATABASE_URL: databaseUrl, ENCRYPTION_KEYS: settings.encryptionKeys },
        settings.sandbox?.applicationUrl ?? null,
        this.stopping.signal,
      ),
      this.startChildren(settings, databaseUrl),
    ]);
    await this.lingeringLines();
    const started = { baseUrl: settings.baseUrl, demo, setupLink: this.setupLink, setupCommand: this.setupCommand };
    if (demo === null || settings.sandbox === null) return { ...started, signInUrls: null };
    const authorize = `${settings.baseUrl}/api/v1/oauth/authorize/${demo.applicationId}`;
    const signInUrls = OAUTH_PROVIDERS.map(({ label, slug }) => [label, `${authorize}/${slug}`] as const);
    return { ...started, signInUrls: Object.fromEntries(signInUrls) };
  }

  private async restart({ processes, files, detectedAtMs }: NewCode): Promise<void> {
    const own = files.filter((file) => file.startsWith('apps/stack/'));
    if (own.length > 0) this.report(`${own.join(', ')} changed: that needs another \`npm run dev\`.`);
    const supervisors = [...this.supervisors].filter(([name]) => processes.includes(name));
    const restarted = await Promise.all(
      supervisors.map(async ([name, supervisor]) => {
        try {
          return (await supervisor.restart()) ? name : null;
        } catch (error) {
          this.report(`${(error as Error).message}; it waits for the next change.`);
          return null;
        }
      }),
    );
    const names = restarted.filter((name) => name !== null).join(', ');
    const took = `${((Date.now() - detectedAtMs) / 1_000).toFixed(1)} s`;
    if (names !== '') this.report(`restarted ${names} (${took})`);
    else if (supervisors.length === 0)
      this.report(`compiled (${took}); api, worker and sandbox have the same code as before`);
    this.prepareRestarts();
  }

  /** Skips the sandbox, which starts in half a second. */
  private prepareRestarts(): void {
    for (const child of this.children) if (child.name === 'api' || child.name === 'worker') child.prepare();
  }

  /** Orphans of a killed supervisor hold the port until they have ended. */
  private async endLeftovers(): Promise<void> {
    const leftovers = this.data.leftovers();
    for (const leftover of leftovers) kill(leftover);
    while (leftovers.some(isRunning)) await delay(20, undefined, { signal: this.stopping.signal });
  }

  /** The API may be ready before the line with the setup link leaves its buffer. With operators there is no such line. */
  private async lingeringLines(): Promise<void> {
    for (let waitedMs = 0; waitedMs < LINGERING_LINES_MS; waitedMs += LINE_POLL_MS) {
      if (this.setupLink !== null || this.setupCommand !== null) return;
      await delay(LINE_POLL_MS, undefined, { signal: this.stopping.signal });
    }
  }

  /** The API logs the setup link or command once, at its start. */
  private readSetupLine(line: string): void {
    this.setupLink = /"setupLink":"([^"]+)"/.exec(line)?.[1] ?? this.setupLink;
    this.setupCommand = /"setupCommand":"([^"]+)"/.exec(line)?.[1] ?? this.setupCommand;
  }

  private async startDatabase(): Promise<string> {
    const database = new DatabasePart(this.data.database);
    this.database = database;
    await database.start(this.stopping.signal);
    return database.url;
  }

  private async startChildren(settings: StackSettings, databaseUrl: string): Promise<void> {
    const workerHealthPort = await freePort();
    const env = childEnvironment(this.env, settings, databaseUrl, workerHealthPort);
    const publish = (): void => {
      const childPids = this.children.map(({ pid }) => pid).filter((pid) => pid !== undefined);
      const sandbox = settings.sandbox === null ? {} : { sandbox: sandboxUrls(settings.sandbox) };
      this.data.publish({ databaseUrl, baseUrl: settings.baseUrl, ...sandbox, childPids });
      this.isPublished = true;
    };
    const child = (name: 'api' | 'worker' | 'sandbox', childEnv: NodeJS.ProcessEnv, readinessUrl: string): ChildPart =>
      new ChildPart({
        name,
        entryPoint: fileURLToPath(new URL(`../../${name}/src/main.js`, import.meta.url)),
        nodeArguments: name === 'api' ? API_NODE_ARGUMENTS : [],
        preload: EXIT_WITH_PARENT,
        env: childEnv,
        readinessUrl,
        stopWithinMs: CHILD_STOPS_WITHIN_MS,
        onStarted: publish,
        ...(name === 'api' && { onLine: (line: string) => this.readSetupLine(line) }),
      });
    const { probeHost, port, sandbox, metricsPorts } = settings;
    const measured = (name: 'api' | 'worker') => ({ ...env, METRICS_PORT: metricsPorts[name] });
    this.children = [
      child('api', measured('api'), `http://${probeHost}:${port}/health/ready`),
      child('worker', measured('worker'), `http://${probeHost}:${workerHealthPort}/health/ready`),
    ];
    if (sandbox !== null) {
      const sandboxEnv = sandboxEnvironment(this.env, settings, sandbox, this.data.sandbox);
      this.children.push(child('sandbox', sandboxEnv, `http://127.0.0.1:${sandbox.controlPort}/health`));
    }
    const inTime = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(START_WITHIN_MS)]);
    await Promise.all(this.children.map((part) => part.start(inTime)));
    // Starts last: on a small machine the compiler would delay the other processes.
    if (this.isWatching) await this.startCompiler(publish);
    const { supervision, stopping } = this;
    this.supervisors = new Map(
      this.children.map((part) => [part.name, new PartSupervisor(part, supervision, stopping.signal)]),
    );
  }

  private async startCompiler(publish: () => void): Promise<void> {
    const compiler = new ChildPart({
      name: 'compiler',
      entryPoint: fileURLToPath(COMPILER),
      nodeArguments: [],
      preload: EXIT_WITH_PARENT,
      env: this.env,
      stopWithinMs: CHILD_STOPS_WITHIN_MS,
      onStarted: publish,
      onMessage: (newCode) => this.restart(newCode as NewCode),
    });
    this.children.push(compiler);
    await compiler.start(this.stopping.signal);
    this.prepareRestarts();
  }
}
