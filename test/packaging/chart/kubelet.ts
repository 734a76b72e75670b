import { setTimeout as delay } from 'node:timers/promises';
import { eventually, runProgram, type RunningProgram } from '../../support/processes.js';
import type { ProbeName, RenderedPod } from './rendered-pod.js';

/** How the end of a pod went. */
export interface Ending {
  /** Exit code, or the signal's name when one ended it. */
  exit: number | NodeJS.Signals;
  /** From the decision to the end, milliseconds. */
  tookMs: number;
}

/**
 * What a kubelet does with a pod: its container is a process of this machine, probed all the time, and started again when it
 * dies, does not start in time or does not live.
 */
export class Kubelet {
  /** Of the container, the dead ones too. */
  readonly runs: RunningProgram[] = [];
  /** Probes because of which the container was ended. */
  readonly endedBy: ProbeName[] = [];
  private readonly ending = new AbortController();

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
      const response = await fetch(`http://127.0.0.1:${this.pod.ports[port]}${path}`, {
        signal: AbortSignal.timeout(probe.timeoutSeconds * 1_000),
      });
      await response.arrayBuffer();
      return response.status >= 200 && response.status < 400;
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
    this.ending.abort();
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
      if (!this.ending.signal.aborted) this.run();
    };
    run.exited.then(again, again);
    void this.watch(run);
  }

  /** Until the container ends, or has to. */
  private async watch(run: RunningProgram): Promise<void> {
    const failed = (await this.holds('startup', run)) ?? (await this.holds('liveness', run));
    if (failed === null || failed === undefined) return;
    this.endedBy.push(failed);
    await run.stop(this.pod.graceSeconds * 1_000);
  }

  /**
   * Probes: for startup until it succeeds, else for as long as it does not fail too often one after the other.
   * @returns what failed; undefined when it is time for the next probe, null when there is nothing to probe any more
   */
  private async holds(name: 'startup' | 'liveness', run: RunningProgram): Promise<ProbeName | null | undefined> {
    const { periodSeconds, failureThreshold } = this.probe(name);
    const { signal } = this.ending;
    for (let failures = 0; failures < failureThreshold;) {
      const isOver = await delay(periodSeconds * 1_000, false, { signal }).catch(() => true);
      if (isOver || run !== this.current()) return null;
      if (!(await this.succeeds(name))) failures += 1;
      else if (name === 'startup') return undefined;
      else failures = 0;
    }
    return run === this.current() && !signal.aborted ? name : null;
  }
}
