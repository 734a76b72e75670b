import { setTimeout as delay } from 'node:timers/promises';
import { eventually, runProgram, type RunningProgram } from '../support/processes.js';
import type { ProbeName, RenderedPod } from './rendered-pod.js';

/** How the end of a pod went. */
export interface Ending {
  /** Exit code, or the signal's name when one ended it. */
  exit: number | NodeJS.Signals;
  /** From the decision to the end, milliseconds. */
  tookMs: number;
}

/** What a kubelet does with a pod: its container is a process of this machine, started again when it dies. */
export class Kubelet {
  /** Of the container, the dead ones too. */
  readonly runs: RunningProgram[] = [];
  private isEnding = false;

  private constructor(
    private readonly pod: RenderedPod,
    private readonly directory: string,
  ) {}

  /** @param directory that the container works in */
  static start(pod: RenderedPod, directory: string): Kubelet {
    const kubelet = new Kubelet(pod, directory);
    kubelet.run();
    return kubelet;
  }

  get restarts(): number {
    return this.runs.length - 1;
  }

  /** Everything that was logged. */
  logs(): string {
    return this.runs.map((run) => run.stdout() + run.stderr()).join('');
  }

  /** Asks one time, for as long as the probe may take. */
  async succeeds(name: ProbeName): Promise<boolean> {
    const probe = this.probe(name);
    const { path, port } = probe.httpGet;
    try {
      const answer = await fetch(`http://127.0.0.1:${this.pod.ports[port]}${path}`, {
        signal: AbortSignal.timeout(probe.timeoutSeconds * 1_000),
      });
      await answer.arrayBuffer();
      return answer.status >= 200 && answer.status < 400;
    } catch {
      return false;
    }
  }

  /** Waits for as long as the startup probe lets a container start, and until it is ready. @throws Error with its log */
  async ready(): Promise<void> {
    const { periodSeconds, failureThreshold } = this.probe('startup');
    const timeoutMs = periodSeconds * failureThreshold * 1_000;
    const everyMs = 100;
    try {
      for (const name of ['startup', 'readiness'] as const) {
        await eventually(name, async () => (await this.succeeds(name)) || undefined, { timeoutMs, everyMs });
      }
    } catch (cause) {
      throw new Error(`not ready: ${this.logs()}`, { cause });
    }
  }

  /** SIGKILL, as for want of memory. The container is started again. */
  async kill(): Promise<void> {
    const run = this.current();
    run.child.kill('SIGKILL');
    await run.exited;
  }

  /** What the deletion of a pod does: preStop, SIGTERM, and SIGKILL when the grace period is over. */
  async end(): Promise<Ending> {
    this.isEnding = true;
    const startMs = performance.now();
    await delay(this.pod.preStopSeconds * 1_000);
    const exit = await this.current().stop((this.pod.graceSeconds - this.pod.preStopSeconds) * 1_000);
    return { exit, tookMs: performance.now() - startMs };
  }

  private current(): RunningProgram {
    return this.runs.at(-1)!;
  }

  private probe(name: ProbeName) {
    const probe = this.pod.probes[name];
    if (probe === undefined) throw new Error(`no probe for ${name}`);
    return probe;
  }

  private run(): void {
    const [command = '', ...args] = this.pod.command;
    const run = runProgram(command, args, { cwd: this.directory, env: this.pod.env });
    this.runs.push(run);
    const again = (): void => {
      if (!this.isEnding) this.run();
    };
    run.exited.then(again, again);
  }
}
