import { createServer } from 'node:net';

/** Linux assigns ports from 32768 on to outgoing connections, so a lower port stays free until its server starts. */
const FIRST = 20_000;
const LAST = 32_767;

/** @throws Error when none is free */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (await isFree(port)) return port;
  }
  throw new Error(`Ports ${FIRST} to ${LAST} of 127.0.0.1 are taken`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error),
    );
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
