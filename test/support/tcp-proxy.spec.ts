import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { eventually } from './processes.js';
import { TcpProxy } from './tcp-proxy.js';

let echo: Server;
let proxy: TcpProxy;
const sockets = new Set<Socket>();

beforeEach(async () => {
  echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await TcpProxy.to((echo.address() as AddressInfo).port);
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await proxy.close();
  echo.close();
});

/** A connection, what came back on it, and how it ended. */
async function client() {
  const socket = connect(proxy.port, '127.0.0.1');
  sockets.add(socket);
  const seen = { text: '', end: '' };
  socket.setEncoding('utf8').on('data', (text: string) => (seen.text += text));
  socket.on('error', (error: NodeJS.ErrnoException) => (seen.end = error.code ?? ''));
  socket.on('end', () => (seen.end = 'end'));
  await once(socket, 'connect');
  const sees = (text: string) => eventually(text, () => (seen.text === text ? true : undefined), { everyMs: 2 });
  const ends = (end: string) => eventually(end, () => (seen.end === end ? true : undefined), { everyMs: 2 });
  return { socket, seen, sees, ends };
}

describe('a proxy', () => {
  it('carries what is sent, and the end of it', async () => {
    const { socket, sees, ends } = await client();
    const text = 'x'.repeat(3_000_000);
    socket.end(text);
    await sees(text);
    await ends('end');
    await eventually('closed', () => (proxy.openConnections === 0 ? true : undefined));
    expect(proxy.connectionCount).toBe(1);
  });

  it('is late', async () => {
    await proxy.set({ type: 'latency', ms: 200 });
    const { socket, sees } = await client();
    const startedAtMs = performance.now();
    socket.write('late');
    await sees('late');
    expect(performance.now() - startedAtMs).toBeGreaterThan(150);
  });

  it('is slow', async () => {
    await proxy.set({ type: 'throttle', bytesPerSecond: 1_000 });
    const { socket, sees } = await client();
    const startedAtMs = performance.now();
    socket.write('x'.repeat(100));
    await sees('x'.repeat(100));
    // There and back again.
    expect(performance.now() - startedAtMs).toBeGreaterThan(150);
  });

  it('hangs, and gives out what it kept', async () => {
    const { socket, seen, sees } = await client();
    await proxy.set({ type: 'hang' });
    socket.write('kept');
    await new Promise((done) => setTimeout(done, 50));
    expect(seen.text).toBe('');
    await proxy.clear();
    await sees('kept');
  });

  it('swallows, and gives out nothing of it', async () => {
    const { socket, sees } = await client();
    socket.write('before ');
    await sees('before ');
    await proxy.set({ type: 'swallow' });
    socket.write('lost ');
    await new Promise((done) => setTimeout(done, 50));
    await proxy.clear();
    socket.write('after');
    await sees('before after');
  });

  it('resets those that are connected, and takes others', async () => {
    const first = await client();
    proxy.resetPeers();
    await first.ends('ECONNRESET');
    const second = await client();
    second.socket.write('hello');
    await second.sees('hello');
  });

  it('refuses, and takes connections on the same port again', async () => {
    const first = await client();
    await proxy.set({ type: 'refuse' });
    await first.ends('ECONNRESET');
    await expect(client()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.clear();
    const second = await client();
    second.socket.write('hello');
    await second.sees('hello');
  });
});
