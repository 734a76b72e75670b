import {
  assertSchemaCompatibility,
  createPostgresBackend,
  createRedisBackend,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
  SchemaVersionMismatchError,
  setDefaultBackendFactory,
  type BackendFactory,
  type ConnectionOptions,
} from 'bullmq';
import pg from 'pg';

/** The queue's tables live beside ours, in a schema of their own. */
export const QUEUE_SCHEMA = 'bullmq';

/** BullMQ's own pauses grow to 20 s: a Redis that is back would be used that much later. */
const RECONNECT_MS = 1_000;

export interface QueueBackendOptions {
  /** `postgres://…`; used when there is no Redis. */
  databaseUrl: string;
  /** `redis://…` or `rediss://…`; null: the queue lives in PostgreSQL. */
  redisUrl: string | null;
  /** Name shown in the server's list of connections. */
  connectionName: string;
}

/** The queue's tables are not those of this build. */
export class QueueSchemaMismatch extends Error {
  override readonly name = 'QueueSchemaMismatch';

  constructor(readonly kind: 'newer' | 'older') {
    super(
      kind === 'newer'
        ? "The queues' tables are of a newer version: run that version or a newer one"
        : 'The database has no tables for the queues: run "ops migrate"',
    );
  }
}

/**
 * A connection that breaks fails the statement that meets it. BullMQ listens late to the connection that it waits on, and
 * never to those that it has taken out of its pool: the loss of the database in between would end the process.
 */
class QueueClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/**
 * Chooses where the queues of this process live and returns how to connect to it. The choice is process-wide: BullMQ
 * builds every Queue and Worker through one factory.
 */
export function chooseQueueBackend({ databaseUrl, redisUrl, connectionName }: QueueBackendOptions): ConnectionOptions {
  if (redisUrl !== null) {
    setDefaultBackendFactory(createRedisBackend);
    return {
      url: redisUrl,
      connectionName,
      // A server that went away without a word never answers: longer than any wait for a job (10 s), and over.
      socketTimeout: 15_000,
      retryStrategy: () => RECONNECT_MS,
      // After a failover the old primary still answers: under the same name there is another one.
      reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
    };
  }
  setDefaultBackendFactory(createPooledBackend);
  const connection: pg.PoolConfig = {
    connectionString: databaseUrl,
    options: `-c search_path="${QUEUE_SCHEMA}"`,
    application_name: connectionName,
    max: 4,
    connectionTimeoutMillis: 5_000,
    // A frozen server must not hold a worker for ever. Waiting for a job is a LISTEN, not a long query.
    query_timeout: 10_000,
    keepAlive: true,
  };
  // Read by the factory chosen above; BullMQ's own type of the option is open enough to hold it.
  return connection;
}

/**
 * Gives each queue and each worker a pool of guarded connections. BullMQ only reads the version of the schema then, and
 * waits for jobs on a connection out of the pool.
 */
const createPooledBackend: BackendFactory = (name, opts, factoryOpts = {}) => {
  const connection = opts.connection as pg.PoolConfig;
  const listens = factoryOpts.withBlockingConnection || factoryOpts.blocking;
  const max = (connection.max ?? 4) + (listens ? 1 : 0);
  const pool = new pg.Pool({ ...connection, max, Client: QueueClient });
  const backend = createPostgresBackend(name, { ...opts, connection: pool }, factoryOpts);
  backend.on('close', () => void pool.end());
  return backend;
};

/**
 * Creates or updates the queue's own tables. Safe to run from several processes at once (BullMQ takes an advisory
 * lock) and to repeat.
 * @returns the version of the schema that is now there
 */
export async function migrateQueueSchema(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    await runMigrations(client, QUEUE_SCHEMA);
    return LATEST_SCHEMA_VERSION;
  });
}

/**
 * Asked before a queue is used: BullMQ itself would wait for a schema that nobody is going to make.
 * @throws QueueSchemaMismatch
 */
export async function verifyQueueSchema(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    try {
      await assertSchemaCompatibility(client, QUEUE_SCHEMA);
    } catch (error) {
      if (error instanceof SchemaMigrationRequiredError) {
        throw new QueueSchemaMismatch('older');
      }
      if (error instanceof SchemaVersionMismatchError) {
        throw new QueueSchemaMismatch('newer');
      }
      throw error;
    }
  });
}

async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'unified-calendar queue schema',
    connectionTimeoutMillis: 5_000,
  });
  // A connection that breaks fails the statement that meets it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
