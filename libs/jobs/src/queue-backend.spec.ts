import pg from 'pg';
import { chooseQueueBackend } from './queue-backend.js';

describe('the queues’ connections to PostgreSQL', () => {
  it('end no process when they are lost between two statements', () => {
    const chosen = chooseQueueBackend({
      databaseUrl: 'postgresql://localhost/calendar',
      redisUrl: null,
      connectionName: 'test',
    }) as pg.PoolConfig;
    const pool = new pg.Pool(chosen) as pg.Pool & { Client: typeof pg.Client };
    const client = new pool.Client({});
    expect(() => client.emit('error', new Error('terminating connection due to administrator command'))).not.toThrow();
  });
});
