import { Database } from './database/database.js';
import { SYSTEM } from './database/scope.js';
import {
  DROP_SNAPSHOTS,
  END_SESSIONS,
  SYNC_ALL,
  REOPEN_CHANNELS,
  WITHDRAW_INVITATIONS,
} from './ops-commands.statements.js';

export interface RecoveryReport {
  /** The provider may have replaced or removed them. */
  reopenedChannels: number;
  calendarsToSync: number;
  droppedSnapshots: number;
  endedSessions: number;
  withdrawnInvitations: number;
}

/**
 * Discards what a restored database cannot know. Run before any process starts. Idempotent. @throws DatabaseUnavailable
 */
export async function recoverFromBackup(databaseUrl: string): Promise<RecoveryReport> {
  const database = new Database({
    databaseUrl,
    applicationName: 'unified-calendar recover',
    poolSize: 1,
    // Enough for a million calendars.
    statementTimeoutMs: 600_000,
  });
  const count = async (text: string) => (await database.write(SYSTEM, { text })).count;
  try {
    return await database.transaction(SYSTEM, async () => ({
      calendarsToSync: await count(SYNC_ALL),
      reopenedChannels: await count(REOPEN_CHANNELS),
      // A snapshot written during the backup would hide changes.
      droppedSnapshots: await count(DROP_SNAPSHOTS),
      endedSessions: await count(END_SESSIONS),
      withdrawnInvitations: await count(WITHDRAW_INVITATIONS),
    }));
  } finally {
    await database.close();
  }
}
