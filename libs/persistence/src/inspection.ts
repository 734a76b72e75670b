import { Database } from './database/database.js';
import { SYSTEM } from './database/scope.js';
import { encryptedColumns } from './encryption/rotate-keys.js';
import { countByKey, SERVER } from './ops-commands.statements.js';

export interface DatabaseInspection {
  /** Such as `17.4`. */
  serverVersion: string;
  /** Clock of the server minus clock of this machine, milliseconds. Exact to the time of a round trip. */
  clockSkewMs: number;
  /** Stored secrets by the id of the key that encrypts them. */
  secretsByKey: Map<string, number>;
}

const STATEMENT_TIMEOUT_MS = 60_000;

/** Reads every encrypted column. Requires an up-to-date schema. @throws DatabaseUnavailable */
export async function inspectDatabase(databaseUrl: string): Promise<DatabaseInspection> {
  const database = new Database({
    databaseUrl,
    applicationName: 'unified-calendar doctor',
    poolSize: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    const read = <Row>(text: string) => database.read<Row>(SYSTEM, { text, values: [] });
    // The first statement opens the connection, which would count as skew.
    await read(SERVER);
    const sentMs = Date.now();
    const [server] = await read<{ version: string; nowMs: number }>(SERVER);
    const receivedMs = Date.now();
    if (server === undefined) throw new Error('the server says nothing of itself');
    const secretsByKey = new Map<string, number>();
    for (const column of await encryptedColumns()) {
      for (const { keyId, secrets } of await read<{ keyId: string; secrets: number }>(countByKey(column))) {
        secretsByKey.set(keyId, (secretsByKey.get(keyId) ?? 0) + secrets);
      }
    }
    return {
      serverVersion: server.version.split(' ')[0] ?? server.version,
      clockSkewMs: Math.round(server.nowMs - (sentMs + receivedMs) / 2),
      secretsByKey,
    };
  } finally {
    await database.close();
  }
}
