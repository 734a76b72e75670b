import { Database } from './database/database.js';
import { SYSTEM } from './database/scope.js';
import { SILENT_AFTER } from './repositories/provider-channel.repository.js';
import { ASK_UPKEEP, LOOK_SOON } from './repositories/watched-calendar.statements.js';

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
      calendarsToLookAt: await count(`update watched_calendar w set hints = w.hints + 1, ${LOOK_SOON}, ${ASK_UPKEEP}`),
      reopenedChannels: await count(`update provider_channel set silent_finds = ${SILENT_AFTER} where state = 'live'`),
      // One that was being written when the backup was made would tell of too little.
      droppedSnapshots: await count('delete from sync_snapshot'),
      endedSessions: await count('delete from operator_session'),
      withdrawnInvitations: await count('delete from operator_invitation where email is not null'),
    }));
  } finally {
    await database.close();
  }
}
