import { Database } from './database/database.js';
import { SYSTEM } from './database/scope.js';
import {
  DROP_SNAPSHOTS,
  END_SESSIONS,
  LOOK_AT_ALL,
  REOPEN_CHANNELS,
  WITHDRAW_INVITATIONS,
} from './recovery.statements.js';

/** What a restored database held that the world may have moved on from, by what was done about it. */
export interface RecoveryReport {
  /** Push channels that are opened anew: the provider may have replaced or forgotten them. */
  reopenedChannels: number;
  /** Calendars that are looked at at once: what happened since the backup is told. */
  calendarsToLookAt: number;
  /** What sync tokens stood on: these tokens have expired. */
  droppedSnapshots: number;
  /** Operators sign in again: a session that had been ended was there again. */
  endedSessions: number;
  /** Links for new operators: one that had been withdrawn was there again. */
  withdrawnInvitations: number;
}

/**
 * After a backup was put back, before anything runs on it: does away with what the database believes and cannot know. To
 * repeat it harms nothing.
 * @throws DatabaseUnavailable
 */
export async function recoverFromBackup(databaseUrl: string): Promise<RecoveryReport> {
  const database = new Database({
    databaseUrl,
    applicationName: 'unified-calendar recover',
    poolSize: 1,
    // Of a million calendars.
    statementTimeoutMs: 600_000,
  });
  const count = async (text: string) => (await database.write(SYSTEM, { text })).count;
  try {
    return await database.transaction(SYSTEM, async () => ({
      calendarsToLookAt: await count(LOOK_AT_ALL),
      reopenedChannels: await count(REOPEN_CHANNELS),
      // One that was being written when the backup was made would tell of too little.
      droppedSnapshots: await count(DROP_SNAPSHOTS),
      endedSessions: await count(END_SESSIONS),
      withdrawnInvitations: await count(WITHDRAW_INVITATIONS),
    }));
  } finally {
    await database.close();
  }
}
