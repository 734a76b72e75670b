import { MISSING_AFTER } from './repositories/provider-channel.repository.js';
import { REQUEST_RECONCILIATION, SYNC_SOON } from './repositories/synced-calendar.statements.js';

// Raw: sent without an encryption key and hence without entities, on the clock of the server that later statements use.

export const SYNC_ALL = `update synced_calendar w set sync_requests = w.sync_requests + 1, ${SYNC_SOON}, ${REQUEST_RECONCILIATION}`;
export const REOPEN_CHANNELS = `update provider_channel set missed_notifications = ${MISSING_AFTER} where state = 'live'`;
export const DROP_SNAPSHOTS = 'delete from sync_snapshot';
export const END_SESSIONS = 'delete from operator_session';
export const WITHDRAW_INVITATIONS = 'delete from operator_invitation where email is not null';
