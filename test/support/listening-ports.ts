import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const ESTABLISHED = '01';
const LISTEN = '0A';

/** A TCP socket of a process, by proc(5). */
export interface TcpSocket {
  isListening: boolean;
  isEstablished: boolean;
  localPort: number;
  /** 0: of one that listens. */
  remotePort: number;
}

/** TCP sockets of a process of this machine (Linux). */
export function tcpSockets(pid: number): TcpSocket[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1] ?? [];
      } catch {
        return []; // closed meanwhile
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , , , , , , , inode]) => inodes.has(inode ?? ''))
      .map(([, local = '', remote = '', state]) => ({
        isListening: state === LISTEN,
        isEstablished: state === ESTABLISHED,
        localPort: portOf(local),
        remotePort: portOf(remote),
      })),
  );
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
}

/** TCP ports that a process of this machine listens on. */
export function listeningPorts(pid: number): number[] {
  const ports = tcpSockets(pid).flatMap(({ isListening, localPort }) => (isListening ? [localPort] : []));
  return [...new Set(ports)].sort((one, other) => one - other);
}
