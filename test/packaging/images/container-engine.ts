import { randomBytes } from 'node:crypto';
import { statusOf } from '../../support/process-tree.js';
import { runProgram } from '../../support/processes.js';

/** What the chart asks for, and podman's own answer to a read-only root, which Kubernetes does not give: no tmpfs. */
const HARDENED = ['--network=host', '--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
const HARDENED_BY_ENGINE: Record<string, string[]> = { podman: ['--read-only-tmpfs=false'] };

export interface EngineOptions {
  /** `podman` or `docker`. */
  engine: string;
  /** Besides what is said here. */
  buildOptions: string[];
  runOptions: string[];
}

export interface ImageConfig {
  User: string;
  Entrypoint: string[];
  Cmd: string[];
  Env: string[];
  Labels: Record<string, string>;
  StopSignal?: string;
  Healthcheck?: unknown;
  Volumes?: object;
}

/** How a container came to its end after it was asked to. */
export interface ContainerEnd {
  exitCode: number;
  tookMs: number;
}

export class Container {
  constructor(
    private readonly engine: ContainerEngine,
    readonly name: string,
  ) {}

  /** What it wrote, both ways. */
  logs(): Promise<string> {
    return this.engine.run('logs', this.name);
  }

  /** @returns exit code of a command in it */
  async execute(command: string[]): Promise<number> {
    return (await this.engine.attempt('exec', this.name, ...command)).exitCode;
  }

  /** Of its first process, as proc(5) has it. */
  async status(): Promise<Record<string, string>> {
    const pid = await this.engine.run('inspect', '--format={{.State.Pid}}', this.name);
    return statusOf(Number(pid));
  }

  /** Its exit code, when it ends by itself. */
  async ended(): Promise<number> {
    return Number(await this.engine.run('wait', this.name));
  }

  /** The signal of the image, and SIGKILL after a time. */
  async stop(graceSeconds: number): Promise<ContainerEnd> {
    const startMs = performance.now();
    await this.engine.run('stop', `--time=${graceSeconds}`, this.name);
    const tookMs = Math.round(performance.now() - startMs);
    return { exitCode: Number(await this.engine.run('inspect', '--format={{.State.ExitCode}}', this.name)), tookMs };
  }
}

/** A container engine by its command line. What it runs is gone after {@link clear}. */
export class ContainerEngine {
  private readonly names: string[] = [];

  constructor(private readonly options: EngineOptions) {}

  /** @returns what it wrote to both ends @throws Error with that, when it failed */
  async run(...args: string[]): Promise<string> {
    const { exitCode, output } = await this.attempt(...args);
    if (exitCode === 0) return output;
    throw new Error(`${this.options.engine} ${args.join(' ')} ended with ${exitCode}:\n${output}`);
  }

  async attempt(...args: string[]): Promise<{ exitCode: number; output: string }> {
    const program = runProgram(this.options.engine, args);
    const exitCode = Number(await program.exited);
    return { exitCode, output: `${program.stdout()}${exitCode === 0 ? '' : program.stderr()}`.trim() };
  }

  async build(target: string, tag: string, context: string): Promise<void> {
    const args = ['build', `--file=${context}/docker/Dockerfile`, `--target=${target}`, `--tag=${tag}`];
    await this.run(...args, ...this.options.buildOptions, context);
  }

  async image(tag: string): Promise<{ Config: ImageConfig; Size: number }> {
    return (JSON.parse(await this.run('image', 'inspect', tag)) as [{ Config: ImageConfig; Size: number }])[0];
  }

  /** Runs a container to its end. @returns what it wrote @throws Error, when it failed */
  output(tag: string, command: string[]): Promise<string> {
    return this.run('run', '--rm', ...this.hardened(), tag, ...command);
  }

  /** @param command instead of the image's own */
  async start(tag: string, environment: Record<string, string>, command: string[] = []): Promise<Container> {
    const name = `unified-calendar-check-${randomBytes(4).toString('hex')}`;
    const variables = Object.entries(environment).map(([key, value]) => `--env=${key}=${value}`);
    this.names.push(name);
    await this.run('run', '--detach', `--name=${name}`, ...this.hardened(), ...variables, tag, ...command);
    return new Container(this, name);
  }

  async clear(): Promise<void> {
    for (const name of this.names) await this.attempt('rm', '--force', name);
  }

  private hardened(): string[] {
    return [...HARDENED, ...(HARDENED_BY_ENGINE[this.options.engine] ?? []), ...this.options.runOptions];
  }
}
