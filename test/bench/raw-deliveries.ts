/** BullMQ and undici with nothing around them: as many jobs as it is told of, one POST each. */
import { Queue, Worker } from 'bullmq';
import { Pool } from 'undici';
import { chooseQueueBackend } from '#jobs';

const [databaseUrl = '', origin = '', paths = '', redisUrl = null] = process.argv.slice(2);
const connection = chooseQueueBackend({ databaseUrl, redisUrl, connectionName: 'bench' });
const queue = new Queue('raw', { connection });
const pool = new Pool(origin, { connections: 128 });
const worker = new Worker<{ path: string }>(
  'raw',
  async ({ data: { path } }) => {
    const { body } = await pool.request({ method: 'POST', path, body: '{}' });
    await body.dump();
  },
  { connection, concurrency: 128, autorun: false },
);
await worker.waitUntilReady();
void worker.run();
process.on('message', (count: number) => {
  const jobs = Array.from({ length: count }, (_, n) => ({
    name: 'deliver',
    data: { path: `/raw/${n % Number(paths)}` },
    opts: { removeOnComplete: true },
  }));
  void queue.addBulk(jobs);
});
process.send?.('ready');
