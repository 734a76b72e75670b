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

export const QUEUE_SCHEMA = 'bullmq';

/** BullMQ's own pauses grow to 20 s. */
const RECONNECT_MS = 1_000;

export interface QueueBackendOptions {
  databaseUrl: string;
  /** null stores queues in PostgreSQL. */
  redisUrl: string | null;
  connectionName: string;
}

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
 * BullMQ attaches its error listener late, or never to connections out of its pool: an outage would end the process.
 */
class QueueClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/** Process-wide: BullMQ builds every Queue and Worker through one factory. */
export function chooseQueueBackend({ databaseUrl, redisUrl, connectionName }: QueueBackendOptions): ConnectionOptions {
  if (redisUrl !== null) {
    setDefaultBackendFactory(createRedisBackend);
    return {
      url: redisUrl,
      connectionName,
      // Detects a dead server. Longer than any wait for a job (10 s).
      socketTimeout: 15_000,
      retryStrategy: () => RECONNECT_MS,
      // After a failover the old primary still responds; the name now leads to the new one.
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
    // A frozen server must not block a worker. Waiting for a job uses LISTEN, not a long query.
    query_timeout: 10_000,
    keepAlive: true,
  };
  return connection;
}

/** With a pool, BullMQ only checks the schema version and listens for jobs on a connection of it. */
const createPooledBackend: BackendFactory = (name, opts, factoryOpts = {}) => {
  const connection = opts.connection as pg.PoolConfig;
  const listens = factoryOpts.withBlockingConnection || factoryOpts.blocking;
  const max = (connection.max ?? 4) + (listens ? 1 : 0);
  const pool = new pg.Pool({ ...connection, max, Client: QueueClient });
  const backend = createPostgresBackend(name, { ...opts, connection: pool }, factoryOpts);
  backend.on('close', () => void pool.end());
  return backend;
};

/** Idempotent and safe to run concurrently (BullMQ takes an advisory lock). Returns the schema version. */
export async function migrateQueueSchema(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    await runMigrations(client, QUEUE_SCHEMA);
    return LATEST_SCHEMA_VERSION;
  });
}

/** Run before using a queue: BullMQ itself would wait for a missing schema forever. @throws QueueSchemaMismatch */
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
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
