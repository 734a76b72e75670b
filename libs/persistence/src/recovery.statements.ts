import { SILENT_AFTER } from './repositories/provider-channel.repository.js';
import { ASK_UPKEEP, LOOK_SOON } from './repositories/watched-calendar.statements.js';

// Raw: sent without an encryption key and hence without entities, on the clock of the server that later statements use.

export const LOOK_AT_ALL = `update watched_calendar w set hints = w.hints + 1, ${LOOK_SOON}, ${ASK_UPKEEP}`;
export const REOPEN_CHANNELS = `update provider_channel set silent_finds = ${SILENT_AFTER} where state = 'live'`;
export const DROP_SNAPSHOTS = 'delete from sync_snapshot';
export const END_SESSIONS = 'delete from operator_session';
export const WITHDRAW_INVITATIONS = 'delete from operator_invitation where email is not null';
