import { createServer, connect, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AcceptingServer } from '../../apps/api/src/http/accepting-server.js';
import { work } from '#platform/testing/loop-turns';
import { eventually, freePort } from '../support/processes.js';

const HOST = '127.0.0.1';
const TURN_MS = 20;
const CONNECTIONS = 64;

const open: { close(): unknown; closeAllConnections?(): void }[] = [];

afterEach(() => {
  for (const server of open.splice(0)) {
    server.close();
    server.closeAllConnections?.();
  }
});

/** @returns once it listens @throws Error, when it cannot */
async function accepting(port: number, answer: (text: string) => Promise<string> = async (text) => text) {
  const server = new AcceptingServer((request, response) => {
    void answer(request.url ?? '').then((text) => response.end(text));
  });
  open.push(server);
  await server.listenWidely(port, HOST);
  return server;
}

const portOf = (server: Server | AcceptingServer): number => (server.address() as { port: number }).port;

/** A connection of its own. */
async function get(port: number, path: string): Promise<string> {
  const answer = await fetch(`http://${HOST}:${port}${path}`, { headers: { connection: 'close' } });
  return answer.text();
}

describe('F39 the server of the API', () => {
  it('takes many new connections in one turn of a busy event loop', async () => {
    const server = await accepting(0);
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      work(TURN_MS);
      if (!isOver) setImmediate(turn);
    };
    let taken = 0;
    server.on('connection', () => (taken += 1));
    const sockets: Socket[] = Array.from({ length: CONNECTIONS }, () => connect(portOf(server), HOST));
    setImmediate(turn);
    await eventually('all are taken', () => taken === CONNECTIONS || undefined, { everyMs: 1 });
    isOver = true;
    for (const socket of sockets) socket.destroy();
    expect(turns).toBeLessThan(CONNECTIONS / 2);
  });

  it('answers on each of them', async () => {
    const server = await accepting(0);
    const paths = Array.from({ length: CONNECTIONS }, (_, index) => `/${index}`);
    expect(await Promise.all(paths.map((path) => get(portOf(server), path)))).toEqual(paths);
  });

  it.each([
    ['of another kind', async (port: number) => void open.push(createServer().listen(port, HOST))],
    ['of its own kind', async (port: number) => void (await accepting(port))],
  ])('does not share its port with a server %s', async (_, occupy) => {
    const port = await freePort();
    await occupy(port);
    await sleep(50);
    await expect(accepting(port)).rejects.toThrow('EADDRINUSE');
  });

  it('closes what is idle, on whichever socket it came', async () => {
    const server = await accepting(0);
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(portOf(server), HOST));
    const ended = sockets.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)));
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    await Promise.all([closed, ...ended]);
  });

  it('ends when the last answer is out, and takes nobody in meanwhile', async () => {
    let answer: (text: string) => void = () => undefined;
    let asked = 0;
    const server = await accepting(0, (text) => {
      asked += 1;
      return text === '/slow' ? new Promise((resolve) => (answer = resolve)) : Promise.resolve(text);
    });
    const port = portOf(server);
    // More than one socket has taken some.
    const slow = Array.from({ length: CONNECTIONS }, (_, index) => get(port, index === 0 ? '/slow' : '/'));
    await eventually('all have asked', () => asked === CONNECTIONS || undefined);
    let isClosed = false;
    const closed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => (isClosed = true));
    await expect(get(port, '/late')).rejects.toThrow('fetch failed');
    await sleep(100);
    expect(isClosed).toBe(false);
    answer('at last');
    expect(await slow[0]).toBe('at last');
    await closed;
  });
});
