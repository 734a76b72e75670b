import { createServer } from 'node:http';
import { asAdmin } from '../../support/postgres.js';
import { eventually } from '../../support/processes.js';
import { startService, type Service } from '../../support/service.js';
import { runWorker, type WorkerUnderTest } from '../../support/worker.js';
import { quantile } from './open-load.js';
import { residentMiB } from '../../support/resident-memory.js';

const ENDPOINTS = 20;
const READS = 200;

export interface Backlogged {
  messages: number;
  seedMs: number;
  /** Median of a read of the API, milliseconds: with nothing to deliver, and with all of it waiting. */
  readMs: { empty: number; backlogged: number };
  /** Deliveries a second: of a slice on its own, before and after, and of one out of the backlog. */
  perSecond: { plain: [number, number]; backlogged: number };
  /** Of the worker when it has delivered a slice, MiB. */
  residentMiB: { plain: number; backlogged: number };
}

/** A service with an application whose receiver answers at once. */
class DeliveringFixture {
  private arrivals: number[] = [];
  private readonly receiver = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      this.arrivals.push(performance.now());
      response.writeHead(204).end();
    });
  });
  service!: Service;
  private worker: WorkerUnderTest | undefined;

  async start(settings: NodeJS.ProcessEnv): Promise<void> {
    await new Promise<void>((listening) => this.receiver.listen(0, '127.0.0.1', listening));
    const { port } = this.receiver.address() as { port: number };
    this.service = await startService({
      EGRESS_ALLOW: `127.0.0.1:${port}`,
      LOG_LEVEL: 'warn',
      RATE_LIMIT_RPS: '1000000',
      ...settings,
    });
    for (let n = 0; n < ENDPOINTS; n += 1) {
      const body = { url: `http://127.0.0.1:${port}/${n}`, eventTypes: ['enduseraccount.created'] };
      const { status, body: response } = await this.service.call('POST', '/v1/webhookEndpoints', { body });
      if (status >= 300) throw new Error(`no endpoint: ${status} ${JSON.stringify(response)}`);
    }
  }

  async startWorker(): Promise<void> {
    const worker = await runWorker(this.service.env['DATABASE_URL']!, this.service.env);
    this.worker = worker;
    await eventually('ready', async () => ((await worker.probe('ready')) === 200 ? true : undefined));
  }

  async stopWorker(): Promise<void> {
    await this.worker?.stop();
    this.worker = undefined;
  }

  /** Makes messages that are due, of all endpoints in turns. */
  async seed(count: number): Promise<void> {
    await this.admin(
      `insert into webhook_message (id, application_id, endpoint_id, event_type, body, state, failures, resends, tries,
         tries_by_hand, next_attempt_at, enqueue_at, created_at)
       select gen_random_uuid(), endpoint.application_id, endpoint.id, 'enduseraccount.created', '{}', 'pending', 0, 0, 0,
         0, now(), now(), now()
       from generate_series(1, $1::int) number
       join (select *, row_number() over () - 1 as turn from webhook_endpoint) endpoint on endpoint.turn = number % ${ENDPOINTS}`,
      [count],
    );
  }

  /** Deliveries a second of the next `count`. */
  async rate(count: number, begin: () => Promise<void>): Promise<number> {
    this.arrivals = [];
    await begin();
    const arrived = () => (this.arrivals.length >= count ? true : undefined);
    await eventually('a slice is delivered', arrived, { timeoutMs: 180_000, everyMs: 20 });
    return ((count - 1) * 1_000) / (this.arrivals[count - 1]! - this.arrivals[0]!);
  }

  async readMs(): Promise<number> {
    const took: number[] = [];
    for (let read = 0; read < READS; read += 1) {
      const startMs = performance.now();
      await this.service.call('GET', '/v1/webhookEndpoints');
      took.push(performance.now() - startMs);
    }
    return quantile(took, 0.5);
  }

  residentMiB(): number {
    return residentMiB(this.worker!.pid);
  }

  admin(text: string, values: unknown[] = []): Promise<unknown[]> {
    return asAdmin(this.service.adminDatabaseUrl, async (admin) => (await admin.query(text, values)).rows);
  }

  async stop(): Promise<void> {
    await this.stopWorker();
    await this.service?.stop();
    this.receiver.closeAllConnections();
    this.receiver.close();
  }
}

/** A backlog, and what it does to those who read, to the worker's memory and to its rate. */
export async function backlog({
  messages,
  slice,
  settings = {},
}: {
  messages: number;
  slice: number;
  settings?: NodeJS.ProcessEnv;
}): Promise<Backlogged> {
  const fixture = new DeliveringFixture();
  try {
    await fixture.start(settings);
    await fixture.startWorker();
    const plain = () => fixture.rate(slice, () => fixture.seed(slice));
    await plain(); // what is warm does more
    const before = await plain();
    const plainMiB = fixture.residentMiB();
    await fixture.stopWorker();
    const empty = await fixture.readMs();

    const startMs = performance.now();
    await fixture.seed(messages);
    const seedMs = performance.now() - startMs;
    const backlogged = await fixture.readMs();
    await fixture.startWorker();
    await fixture.rate(slice, () => Promise.resolve()); // warm again
    const perSecond = await fixture.rate(slice, () => Promise.resolve());
    const backloggedMiB = fixture.residentMiB();

    await fixture.stopWorker();
    await fixture.admin("delete from webhook_message where state = 'pending'");
    await fixture.startWorker();
    await plain();
    const after = await plain();
    return {
      messages,
      seedMs,
      readMs: { empty, backlogged },
      perSecond: { plain: [before, after], backlogged: perSecond },
      residentMiB: { plain: plainMiB, backlogged: backloggedMiB },
    };
  } finally {
    await fixture.stop();
  }
}
