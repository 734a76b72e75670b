export { ChangeDetector } from './change-detector.js';
export { CalendarSyncService, SYNC_INTERVALS, type SyncIntervals } from './calendar-sync.service.js';
export { SyncRequests } from './sync-requests.js';
