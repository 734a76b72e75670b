import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from './postgres/free-port.js';

export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/** @throws PortTaken whose message suggests a remedy */
export async function requireFreePort(port: number, host: string): Promise<void> {
  const probe = createServer();
  probe.listen(port, host);
  try {
    await once(probe, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new PortTaken(`Port ${port} is taken by another program. Choose another: PORT=${port + 1} npm start`);
    }
    if (code === 'EACCES') throw new PortTaken(`Port ${port} is not allowed for this user. Choose one above 1023.`);
    throw error;
  }
  probe.close();
  await once(probe, 'close');
}

export async function wantedOrFreePort(wanted: number): Promise<number> {
  try {
    await requireFreePort(wanted, '127.0.0.1');
    return wanted;
  } catch (error) {
    if (error instanceof PortTaken) return freePort();
    throw error;
  }
}
