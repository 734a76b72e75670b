import { once } from 'node:events';
// eslint-disable-next-line no-restricted-imports -- stands in for PostgreSQL, on loopback
import { createServer, type AddressInfo } from 'node:net';
import { getDefaultBackendFactory, type PostgresQueueBackend } from 'bullmq';
import { chooseQueueBackend } from './queue-backend.js';

/** A message of PostgreSQL's protocol: a letter, the length of what follows, and that. */
function message(type: string, body: string | number[]): Buffer {
  const content = Buffer.from(body as string);
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

/** Lets a connection in and ends it with the same packet. */
const GOODBYE = Buffer.concat([
  message('R', [0, 0, 0, 0]),
  message('Z', 'I'),
  message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
]);

describe('the queues’ connections to PostgreSQL', () => {
  it('end no process when the database ends while they connect', async () => {
    const server = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.end(GOODBYE)),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const connection = chooseQueueBackend({
      databaseUrl: `postgresql://calendar@127.0.0.1:${(server.address() as AddressInfo).port}/calendar`,
      redisUrl: null,
      connectionName: 'test',
    });
    const backend = getDefaultBackendFactory()('jobs', { connection }, { withBlockingConnection: true });
    const lost: unknown[] = [];
    process.on('uncaughtException', (error) => lost.push(error));
    try {
      await (backend as PostgresQueueBackend).connection.getListenClient().catch(() => undefined);
      expect(lost).toEqual([]);
    } finally {
      process.removeAllListeners('uncaughtException');
      await backend.close();
      server.close();
    }
  });
});
