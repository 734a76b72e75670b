import { expect } from '@jest/globals';
import { API_SEMI_SPACE_MIB } from '../../apps/stack/src/api-node-arguments.js';
import { residentMiB } from '../support/resident-memory.js';
import { listeningPorts, tcpSockets } from '../support/listening-ports.js';
import { eventually } from '../support/processes.js';

const PARTS = ['sockets', 'connections', 'timers', 'mib'] as const;
/** Of a process: sockets but those of its callers, those of them to the database, timers, and memory. */
export type Held = Record<(typeof PARTS)[number], number>;

/** A process of the service that has its metrics on a port (`METRICS_PORT: '0'`). */
export interface ObservedProcess {
  /** Processes of one kind are measured by each other: one that was replaced by those that replaced it. */
  kind: 'api' | 'worker';
  pid: number;
}

const SHARE_MORE = 0.1;
/**
 * What a few more of something are no leak of: calls of the moment, and of memory what the young part of a heap takes, which
 * is given back late or never.
 */
const FEW: Omit<Held, 'mib'> = { sockets: 4, connections: 3, timers: 4 };
const FEW_MIB: Record<ObservedProcess['kind'], number> = { api: 96 + 3 * API_SEMI_SPACE_MIB, worker: 96 };
/** A pool closes what nobody used for half a minute. */
const CALM_WITHIN_MS = 60_000;

/** What processes held before something broke, to which they have to come back. */
export class ResourceSnapshot {
  private readonly before = new Map<ObservedProcess['kind'], Held>();

  private readonly databasePort: number;

  /** @param env of the processes */
  constructor(env: NodeJS.ProcessEnv) {
    this.databasePort = Number(new URL(env['DATABASE_URL']!).port);
  }

  /**
   * To be called while they are at work: the most of what is seen counts.
   * @param receivers `host:port` to which the sockets do not count: they belong to calls of the moment
   */
  async measure(processes: ObservedProcess[], receivers?: string): Promise<void> {
    const ignoredPort = receivers === undefined ? undefined : Number(new URL(`http://${receivers}`).port);
    for (const process of processes) {
      const now = await heldBy(process, this.databasePort, ignoredPort);
      const before = this.before.get(process.kind) ?? now;
      this.before.set(
        process.kind,
        mapHeld((part) => Math.max(before[part], now[part])),
      );
    }
  }

  /** I5 */
  async expectBack(processes: ObservedProcess[], timeoutMs = CALM_WITHIN_MS): Promise<void> {
    const held = async () =>
      Promise.all(
        processes.map(async (process) => {
          const few: Held = { ...FEW, mib: FEW_MIB[process.kind] };
          const most = mapHeld((part) => {
            const before = this.before.get(process.kind)![part];
            return Math.max(before * (1 + SHARE_MORE), before + few[part]);
          });
          const now = await heldBy(process, this.databasePort);
          return PARTS.filter((part) => !(now[part] <= most[part])).map(
            (part) => `${process.kind} ${process.pid}: ${now[part]} ${part}, at most ${most[part]}`,
          );
        }),
      );
    let tooMuch: string[] = [];
    await eventually(
      'processes hold as much as before',
      async () => {
        tooMuch = (await held()).flat();
        return tooMuch.length === 0 ? true : undefined;
      },
      { timeoutMs, everyMs: 500 },
    ).catch((error: unknown) => {
      expect(tooMuch).toEqual([]);
      throw error;
    });
  }
}

function mapHeld(valueOf: (part: keyof Held) => number): Held {
  return Object.fromEntries(PARTS.map((part) => [part, valueOf(part)])) as Held;
}

async function heldBy({ pid }: ObservedProcess, databasePort: number, ignoredPort?: number): Promise<Held> {
  const all = tcpSockets(pid).filter(({ remotePort }) => remotePort !== ignoredPort);
  const listening = new Set(all.filter(({ isListening }) => isListening).map(({ localPort }) => localPort));
  // Who called keeps its connections for as long as it likes.
  const sockets = all.filter(({ localPort, isEstablished }) => !(isEstablished && listening.has(localPort)));
  return {
    sockets: sockets.length,
    connections: sockets.filter(({ remotePort }) => remotePort === databasePort).length,
    timers: await timersOf(pid),
    mib: residentMiB(pid),
  };
}

/** As the process tells: the kernel knows nothing of them. */
async function timersOf(pid: number): Promise<number> {
  for (const port of listeningPorts(pid)) {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => null);
    const text = (await response?.text()) ?? '';
    if (text.includes('nodejs_active_resources{')) {
      return Number(/^nodejs_active_resources\{type="Timeout"[^}]*\} (\d+)/m.exec(text)?.[1] ?? 0);
    }
  }
  throw new Error(`process ${pid} serves no metrics`);
}
